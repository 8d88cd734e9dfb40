package io.whence.cli;

import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupQuery;
import io.whence.v1.TopicPartitions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows how far groups are behind, once or again and again. Single-writer. */
@Command(
    name = "lag",
    description = "Tells how far groups are behind, in records and in time.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExample:%n",
    footer = {
      "  whence lag billing --topic orders:0-3 --watch=5s",
      "",
      "offset lag counts gaps and transaction markers too, records only what there is to read;",
      "staleness is how long the next unread record has been waiting, span how much time the"
          + " unread",
      "ones cover. The exit code doesn't depend on the lag."
    })
final class LagCommand implements Callable<Integer> {
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(1);

  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ZoneOption zone = new ZoneOption();
  @Mixin private IsolationOption isolation = new IsolationOption();

  @Parameters(arity = "1..*", paramLabel = "GROUP", description = "The groups.")
  private List<String> groups = List.of();

  @Option(
      names = "--topic",
      paramLabel = "TOPIC[:LIST]",
      description = "A topic, or some of it such as orders:0-3,7. May be given several times.")
  private List<String> topics = List.of();

  @Option(names = "--sum", description = "Prints one line for each group.")
  private boolean sum;

  @Option(
      names = "--watch",
      arity = "0..1",
      fallbackValue = "2s",
      preprocessor = AttachedValue.class,
      paramLabel = "SPAN",
      description = "Asks again every SPAN until interrupted. Without SPAN: 2s.")
  private @Nullable String watch;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Ends --watch after N rounds, at least 1.")
  private long rounds = Long.MAX_VALUE;

  @Override
  public Integer call() {
    LagTable table = new LagTable(output, zone.display());
    GetGroupLagRequest request = request();
    Watch rounds = watch();
    try (Client client = server.connect()) {
      return rounds.run(
          output,
          () -> {
            GetGroupLagResponse response = client.groups(g -> g.getGroupLag(request));
            return () -> print(response, table);
          });
    }
  }

  private GetGroupLagRequest request() {
    List<TopicPartitions> scopes = TopicScope.parseAll("--topic", topics);
    GetGroupLagRequest.Builder request =
        GetGroupLagRequest.newBuilder()
            .setSource(server.source())
            .setIsolationLevel(isolation.level());
    for (String group : groups) {
      request.addQueries(GroupQuery.newBuilder().setGroup(group).addAllTopics(scopes));
    }
    return request.build();
  }

  private Watch watch() {
    if (rounds < 1) {
      throw new BadInputException("--rounds", "--rounds " + rounds + ": at least 1");
    }
    if (watch == null) {
      return new Watch(Duration.ZERO, 1, span -> {});
    }
    if (output.json()) {
      throw new BadInputException(
          "--watch", "--watch prints tables; ask again for each JSON document");
    }
    Duration interval =
        DurationText.parse(watch)
            .filter(span -> span.compareTo(SHORTEST) >= 0 && span.compareTo(LONGEST) <= 0)
            .orElseThrow(
                () ->
                    new BadInputException(
                        "--watch",
                        "--watch '" + watch + "': write a span from 100ms to 1d, such as 5s"));
    return new Watch(interval, rounds, span -> Thread.sleep(span.toMillis()));
  }

  private int print(GetGroupLagResponse response, LagTable table) {
    Tally tally = new Tally();
    response.getResultsList().forEach(group -> LagTable.count(group, tally));
    if (output.json()) {
      output.document(response);
    } else if (sum) {
      table.printSums(response, isolation.words());
    } else {
      response.getResultsList().forEach(group -> table.print(response, group, isolation.words()));
    }
    if (!output.json()) {
      tally.printFailures(output);
    }
    boolean found =
        response.getResultsList().stream()
            .anyMatch(group -> group.getExists() || group.getPartitionsCount() > 0);
    return found || tally.hasFailures() ? tally.exitCodeOfDoing() : ExitCode.NOTHING_FOUND;
  }
}
