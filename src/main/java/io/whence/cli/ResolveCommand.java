package io.whence.cli;

import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimestampQuery;
import io.whence.v1.TimestampQueryResult;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Asks for one position in many partitions. Single-writer. */
@Command(
    name = "resolve",
    description = "Tells at which offset a moment begins, in each partition.",
    mixinStandardHelpOptions = true,
    footerHeading = "%n",
    footer = {
      "TIME is RFC 3339 (2024-03-09T14:00:00+08:00), a local time with --zone, 'now', a span ago",
      "(2h, 90m, 3d, PT2H, '2h ago'), or digits: epoch milliseconds unless --unit says otherwise."
    })
final class ResolveCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private QueryOptions query = new QueryOptions();
  @Mixin private TimeOptions times = new TimeOptions();

  @ArgGroup(exclusive = true, multiplicity = "1")
  private PositionChoice position = new PositionChoice();

  @Override
  public Integer call() {
    ResolveTimestampRequest request = request();
    ResolveTable table = new ResolveTable(output, times.display());
    try (Client client = server.connect()) {
      ResolveTimestampResponse response = client.resolver(r -> r.resolveTimestamp(request));
      Tally tally = new Tally();
      response.getResultsList().forEach(result -> ResolveTable.count(result, tally));
      if (output.json()) {
        output.document(response);
        return tally.exitCode();
      }
      for (TimestampQueryResult result : response.getResultsList()) {
        table.print(response, result, query.isolationWords(), position.note());
      }
      tally.printFailures(output);
      return tally.exitCode();
    }
  }

  private ResolveTimestampRequest request() {
    ResolveTimestampRequest.Builder request =
        ResolveTimestampRequest.newBuilder()
            .setSource(server.source())
            .setIsolationLevel(query.isolationLevel())
            .setAllowUnusualTime(times.allowUnusualTime());
    for (String topic : query.topics()) {
      request.addQueries(
          TimestampQuery.newBuilder()
              .setTopic(topic)
              .addAllPartitions(query.partitions())
              .setPosition(position.position(times)));
    }
    return request.build();
  }
}
