package io.whence.cli;

import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.TopicSummary;
import java.net.ConnectException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commits offsets of a group. Single-writer. */
@Command(
    name = "commit",
    description =
        "Commits offsets of a group: of the next record to read, not of the last one read.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExample:%n",
    footer = "  whence commit billing orders:0=4207 orders:1=4111 --atomic")
final class CommitCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private CommitGuards guards = new CommitGuards();
  @Mixin private WriterOption writer = new WriterOption();

  @Parameters(index = "0", paramLabel = "GROUP", description = "The group.")
  private String group = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "TOPIC[:PARTITION]=OFFSET",
      description = "What to commit. PARTITION may be left out where the topic has only one.")
  private List<String> targets = List.of();

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description =
          "Names the request: sent again, it commits nothing twice (of a followed cluster, what"
              + " failed may be made twice: --expect guards it). Default: a new one.")
  private String requestId = "";

  @Option(names = "--atomic", description = "Commits all or nothing.")
  private boolean atomic;

  @Option(names = "--dry-run", description = "Tells what would happen, and commits nothing.")
  private boolean dryRun;

  @Override
  public Integer call() {
    List<CommitTarget> parsed = targets.stream().map(CommitTarget::parse).toList();
    try (Client client = server.connect()) {
      CommitOffsetRequest request = request(client, parsed);
      CommitOffsetResponse response = send(client, request);
      Tally tally = new Tally();
      CommitTable.count(response, tally);
      if (output.json()) {
        output.document(response);
      } else {
        new CommitTable(output).print(response, group, dryRun);
        tally.printFailures(output);
      }
      return tally.exitCodeOfDoing();
    }
  }

  private CommitOffsetRequest request(Client client, List<CommitTarget> targets) {
    CommitOffsetRequest.Builder request =
        CommitOffsetRequest.newBuilder()
            .setSource(server.source())
            .setGroup(group)
            .setAtomic(atomic)
            .setDryRun(dryRun)
            .setWriter(writer.name())
            .setRequestId(requestId());
    for (CommitTarget target : targets) {
      int partition = target.partition().orElseGet(() -> onlyPartition(client, target.topic()));
      request.addEntries(
          guards.guard(
              CommitEntry.newBuilder()
                  .setTopic(target.topic())
                  .setPartition(partition)
                  .setNextOffset(target.nextOffset())));
    }
    return request.build();
  }

  /** A dry run has no result worth keeping, and its id must stay free for the commit. */
  private String requestId() {
    if (!requestId.isBlank() || dryRun) {
      return requestId.strip();
    }
    return UUID.randomUUID().toString();
  }

  private CommitOffsetResponse send(Client client, CommitOffsetRequest request) {
    try {
      return client.groups(groups -> groups.commitOffset(request));
    } catch (CallFailedException e) {
      boolean unknown =
          Failure.of(e).exitCode() != ExitCode.REFUSED
              && !(e.failure().getStatus().getCause() instanceof ConnectException);
      if (unknown && !request.getRequestId().isEmpty()) {
        output
            .err()
            .println(
                "whence: it may have been committed or not; the same with --request-id "
                    + DisplayText.printable(request.getRequestId())
                    + " tells, and commits nothing twice; of a followed cluster only with --expect,"
                    + " where a CONFLICT with the offset to commit means that it is done");
      }
      throw e;
    }
  }

  /** Returns 0 if the topic has one partition, or is unknown: then the server says so. */
  private int onlyPartition(Client client, String topic) {
    ListTopicsRequest request = ListTopicsRequest.newBuilder().setSource(server.source()).build();
    int partitions =
        client.log(log -> log.listTopics(request)).getTopicsList().stream()
            .filter(summary -> summary.getTopic().equals(topic))
            .mapToInt(TopicSummary::getPartitionCount)
            .max()
            .orElse(1);
    if (partitions > 1) {
      throw new BadInputException(
          "TOPIC:PARTITION=OFFSET",
          "topic '"
              + topic
              + "' has "
              + partitions
              + " partitions; name one, such as "
              + topic
              + ":0=42");
    }
    return 0;
  }
}
