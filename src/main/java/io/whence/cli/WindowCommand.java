package io.whence.cli;

import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.WindowQuery;
import io.whence.v1.WindowQueryResult;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Asks which offsets hold the records of a time window. Single-writer. */
@Command(
    name = "window",
    description = "Tells which offsets hold the records of a time window, and how many these are.",
    mixinStandardHelpOptions = true,
    footerHeading = "%n",
    footer = {
      "TIME is RFC 3339 (2024-03-09T14:00:00+08:00), a local time with --zone, 'now', a span ago",
      "(2h, 90m, 3d, PT2H, '2h ago'), or digits: epoch milliseconds unless --unit says otherwise."
    })
final class WindowCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private QueryOptions query = new QueryOptions();
  @Mixin private TimeOptions times = new TimeOptions();

  @Option(
      names = "--from",
      required = true,
      paramLabel = "TIME",
      description = "The start of the window, inclusive.")
  private String from = "";

  @Option(
      names = "--to",
      required = true,
      paramLabel = "TIME",
      description = "The end of the window, exclusive.")
  private String to = "";

  @Override
  public Integer call() {
    TimeText start = TimeText.parse("--from", from, times);
    TimeText end = TimeText.parse("--to", to, times);
    ResolveWindowRequest request = request(start, end);
    WindowTable table = new WindowTable(output, times.display());
    try (Client client = server.connect()) {
      ResolveWindowResponse response = client.resolver(r -> r.resolveWindow(request));
      Tally tally = new Tally();
      response.getResultsList().forEach(result -> WindowTable.count(result, tally));
      if (output.json()) {
        output.document(response);
        return tally.exitCode();
      }
      Stream.of(start.note(), end.note()).filter(n -> !n.isEmpty()).forEach(output::line);
      for (WindowQueryResult result : response.getResultsList()) {
        table.print(response.getSource(), result, query.isolationWords());
      }
      tally.printFailures(output);
      return tally.exitCode();
    }
  }

  private ResolveWindowRequest request(TimeText start, TimeText end) {
    ResolveWindowRequest.Builder request =
        ResolveWindowRequest.newBuilder()
            .setSource(server.source())
            .setIsolationLevel(query.isolationLevel())
            .setAllowUnusualTime(times.allowUnusualTime());
    for (String topic : query.topics()) {
      request.addQueries(
          WindowQuery.newBuilder()
              .setTopic(topic)
              .addAllPartitions(query.partitions())
              .setFrom(start.point())
              .setTo(end.point()));
    }
    return request.build();
  }
}
