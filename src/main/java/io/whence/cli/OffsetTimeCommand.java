package io.whence.cli;

import io.whence.v1.IsolationLevel;
import io.whence.v1.OffsetAnswer;
import io.whence.v1.OffsetQuery;
import io.whence.v1.OffsetQueryResult;
import io.whence.v1.ResolveOffsetRequest;
import io.whence.v1.ResolveOffsetResponse;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Asks when offsets were written. Single-writer. */
@Command(
    name = "offset-time",
    description = "Tells when the records at offsets were written.",
    mixinStandardHelpOptions = true)
final class OffsetTimeCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ZoneOption zone = new ZoneOption();

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(names = "--partition", required = true, paramLabel = "P", description = "The partition.")
  private int partition;

  @Option(
      names = "--offset",
      required = true,
      arity = "1..*",
      split = ",",
      paramLabel = "N",
      description = "The offsets.")
  private List<Long> offsets = List.of();

  @Option(
      names = "--read-committed",
      description = "Hides records of aborted and open transactions.")
  private boolean readCommitted;

  @Override
  public Integer call() {
    TimeDisplay times = zone.display();
    ResolveOffsetRequest request = request();
    try (Client client = server.connect()) {
      ResolveOffsetResponse response = client.resolver(r -> r.resolveOffset(request));
      Tally tally = new Tally();
      for (OffsetQueryResult result : response.getResultsList()) {
        TextTable table = table(result, times, tally);
        if (!output.json() && !result.hasError()) {
          print(response, result, table);
        }
      }
      if (output.json()) {
        output.document(response);
      } else {
        tally.printFailures(output);
      }
      return tally.exitCode();
    }
  }

  private ResolveOffsetRequest request() {
    return ResolveOffsetRequest.newBuilder()
        .setSource(server.source())
        .setIsolationLevel(
            readCommitted
                ? IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED
                : IsolationLevel.ISOLATION_LEVEL_READ_UNCOMMITTED)
        .addQueries(
            OffsetQuery.newBuilder().setTopic(topic).setPartition(partition).addAllOffsets(offsets))
        .build();
  }

  private static TextTable table(OffsetQueryResult result, TimeDisplay times, Tally tally) {
    TextTable table =
        new TextTable(
            TextTable.right("asked"),
            TextTable.left("outcome"),
            TextTable.right("offset"),
            TextTable.left("record time (" + times.zoneName() + ")"),
            TextTable.left("notes"));
    if (result.hasError()) {
      tally.failed("partition " + result.getPartition(), result.getError());
    }
    for (OffsetAnswer answer : result.getAnswersList()) {
      tally.add(answer.getOutcome());
      if (answer.hasError()) {
        tally.failed("offset " + answer.getOffset(), answer.getError());
      }
      boolean moved = answer.hasRecord() && !answer.getExact();
      table.add(
          answer.getOffset(),
          Cells.outcome(answer.getOutcome()),
          answer.hasRecord() ? answer.getRecord().getOffset() : Cells.none(),
          Cells.time(answer.getRecord(), times),
          Cells.notes(
              answer.getRecord(),
              answer.getStartCut(),
              answer.getFutureTimestamp(),
              moved ? "next visible record" : ""));
    }
    return table;
  }

  private void print(ResolveOffsetResponse response, OffsetQueryResult result, TextTable table) {
    output.line(
        DisplayText.printable(
            result.getTopic()
                + " partition "
                + result.getPartition()
                + ", log ["
                + result.getBounds().getLogStartOffset()
                + ", "
                + result.getBounds().getEndOffset()
                + "), source "
                + response.getSource()),
        Ink.BOLD);
    output.line("");
    output.table(table);
  }
}
