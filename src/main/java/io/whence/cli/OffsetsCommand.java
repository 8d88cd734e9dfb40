package io.whence.cli;

import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.DeleteGroupResponse;
import io.whence.v1.DeleteOffsetRequest;
import io.whence.v1.DeleteOffsetResponse;
import io.whence.v1.DeleteOffsetResult;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.GroupQuery;
import io.whence.v1.TopicPartitions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows or removes the offsets that groups have committed. Single-writer. */
@Command(
    name = "offsets",
    description = "Shows what a group has committed, and who changed it; or removes it.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExample:%n",
    footer = "  whence offsets billing orders:0-3 --history 5 --zone Asia/Shanghai")
final class OffsetsCommand implements Callable<Integer> {
  /** What to do with the offsets. Single-writer. */
  static final class Action {
    @Option(
        names = "--history",
        paramLabel = "N",
        description = "Shows the last N changes of each offset: who, when, from, to.")
    private int history;

    @Option(
        names = "--csv",
        description =
            "Prints lines as kafka-consumer-groups does: topic,partition,offset; with several groups"
                + " group,topic,partition,offset. Leaves out offsets of topics that are gone.")
    private boolean csv;

    @Option(
        names = "--delete",
        description = "Removes the offsets of TOPIC; without one, all of the group.")
    private boolean delete;
  }

  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ZoneOption zone = new ZoneOption();
  @Mixin private Consent consent = new Consent();

  @Parameters(index = "0", paramLabel = "GROUP", description = "The group.")
  private String group = "";

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "TOPIC[:LIST]",
      description = "Topics, or some of them such as orders:0-3,7. Default: all of the group.")
  private List<String> scopes = List.of();

  @Option(
      names = "--group",
      paramLabel = "GROUP",
      description = "One more group. May be given several times.")
  private List<String> moreGroups = List.of();

  @Option(
      names = "--partitions",
      paramLabel = "LIST",
      description = "The partitions of each TOPIC without a list, such as 0-3,7. Default: all.")
  private String partitions = "";

  @ArgGroup(exclusive = true, multiplicity = "0..1")
  private Action action = new Action();

  @Override
  public Integer call() {
    TimeDisplay times = zone.display();
    List<TopicPartitions> topics = topics();
    List<String> groups = new ArrayList<>(List.of(group));
    groups.addAll(moreGroups);
    if (action.csv && output.json()) {
      throw new BadInputException("--csv", "--csv and --format json exclude each other");
    }
    if (action.delete) {
      return delete(groups, topics);
    }
    FetchOffsetRequest.Builder request =
        FetchOffsetRequest.newBuilder().setSource(server.source()).setHistory(action.history);
    groups.forEach(
        name -> request.addQueries(GroupQuery.newBuilder().setGroup(name).addAllTopics(topics)));
    try (Client client = server.connect()) {
      FetchOffsetResponse response = client.groups(g -> g.fetchOffset(request.build()));
      return show(response, new OffsetsTable(output, times));
    }
  }

  private List<TopicPartitions> topics() {
    List<Integer> list = PartitionList.parse(partitions);
    if (!list.isEmpty() && scopes.isEmpty()) {
      throw new BadInputException("--partitions", "--partitions needs a TOPIC to be of");
    }
    return TopicScope.parseAll("TOPIC", scopes).stream()
        .map(
            scope ->
                scope.getPartitionsCount() > 0
                    ? scope
                    : scope.toBuilder().addAllPartitions(list).build())
        .toList();
  }

  private int show(FetchOffsetResponse response, OffsetsTable table) {
    Tally tally = new Tally();
    boolean found = false;
    for (GroupOffsetsResult result : response.getResultsList()) {
      OffsetsTable.count(result, tally);
      found |= result.getOffsetsList().stream().anyMatch(offset -> offset.hasCommitted());
    }
    if (output.json()) {
      output.document(response);
    } else if (action.csv) {
      OffsetsCsv.of(response, output.err()).print(output, response.getResultsCount() > 1);
      tally.printFailures(output.err());
    } else {
      response.getResultsList().forEach(result -> table.print(response, result));
      tally.printFailures(output);
    }
    return tally.hasFailures() || found ? tally.exitCodeOfDoing() : ExitCode.NOTHING_FOUND;
  }

  private int delete(List<String> groups, List<TopicPartitions> topics) {
    if (groups.size() > 1) {
      throw new BadInputException("--group", "--delete takes one group at a time");
    }
    String what = topics.isEmpty() ? "all offsets" : "the offsets in " + String.join(", ", scopes);
    consent.require("this removes " + what + " of group '" + group + "'", output);
    try (Client client = server.connect()) {
      return topics.isEmpty() ? deleteGroup(client) : deleteOffsets(client, topics);
    }
  }

  private int deleteGroup(Client client) {
    DeleteGroupRequest request =
        DeleteGroupRequest.newBuilder().setSource(server.source()).setGroup(group).build();
    DeleteGroupResponse response = client.groups(groups -> groups.deleteGroup(request));
    if (output.json()) {
      output.document(response);
    } else {
      printDeleted(response.getDeletedOffsetCount());
    }
    return response.getDeletedOffsetCount() > 0 ? ExitCode.ANSWERED : ExitCode.NOTHING_FOUND;
  }

  private int deleteOffsets(Client client, List<TopicPartitions> topics) {
    DeleteOffsetRequest request =
        DeleteOffsetRequest.newBuilder()
            .setSource(server.source())
            .setGroup(group)
            .addAllTopics(topics)
            .build();
    DeleteOffsetResponse response = client.groups(groups -> groups.deleteOffset(request));
    long deleted =
        response.getResultsList().stream().filter(DeleteOffsetResult::hasOffsetBefore).count();
    if (output.json()) {
      output.document(response);
    } else {
      output.table(OffsetsTable.deleted(response));
      printDeleted(deleted);
    }
    return deleted > 0 ? ExitCode.ANSWERED : ExitCode.NOTHING_FOUND;
  }

  private void printDeleted(long count) {
    output.line(
        "removed "
            + TopicWords.count(count, "offset")
            + " of group "
            + DisplayText.printable(group));
  }
}
