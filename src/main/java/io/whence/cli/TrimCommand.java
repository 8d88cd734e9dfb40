package io.whence.cli;

import io.whence.v1.TrimEntry;
import io.whence.v1.TrimLogRequest;
import io.whence.v1.TrimLogResponse;
import io.whence.v1.TrimResult;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Raises a log start offset. Single-writer. */
@Command(
    name = "trim",
    description = "Raises the log start offset: records below it are gone for good.",
    mixinStandardHelpOptions = true)
final class TrimCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private Consent consent = new Consent();

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(names = "--partition", required = true, paramLabel = "P", description = "The partition.")
  private int partition;

  @Option(
      names = "--before-offset",
      required = true,
      paramLabel = "N",
      description = "The new log start offset.")
  private long beforeOffset;

  @Override
  public Integer call() {
    consent.require(
        "this removes the records of topic '"
            + topic
            + "', partition "
            + partition
            + ", below offset "
            + beforeOffset,
        output);
    TrimEntry entry =
        TrimEntry.newBuilder()
            .setTopic(topic)
            .setPartition(partition)
            .setBeforeOffset(beforeOffset)
            .build();
    TrimLogRequest request =
        TrimLogRequest.newBuilder().setSource(server.source()).addEntries(entry).build();
    try (Client client = server.connect()) {
      TrimLogResponse response = client.log(log -> log.trimLog(request));
      if (output.json()) {
        output.document(response);
      }
      boolean failed = false;
      for (TrimResult result : response.getResultsList()) {
        failed |= result.hasError();
        print(result);
      }
      return failed ? ExitCode.SOME_FAILED : ExitCode.ANSWERED;
    }
  }

  private void print(TrimResult result) {
    if (output.json()) {
      return;
    }
    Tally failures = new Tally();
    if (result.hasError()) {
      failures.failed("partition " + result.getPartition(), result.getError());
      failures.printFailures(output);
    } else {
      output.line(
          "partition " + result.getPartition() + " now starts at " + result.getLogStartOffset());
    }
  }
}
