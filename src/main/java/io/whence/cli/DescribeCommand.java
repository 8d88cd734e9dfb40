package io.whence.cli;

import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.DescribeTopicResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows one topic in full. Single-writer. */
@Command(
    name = "describe",
    description = "Shows settings, bounds, damage and the health of the timestamps of a topic.",
    mixinStandardHelpOptions = true)
final class DescribeCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ZoneOption zone = new ZoneOption();

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(
      names = "--partitions",
      paramLabel = "LIST",
      description = "The partitions, such as 0-3,7. Default: all.")
  private String partitions = "";

  @Option(names = "--segments", description = "Lists each segment too.")
  private boolean segments;

  @Option(
      names = "--timestamps",
      description =
          "Tells which records lie in the future, have no timestamp or are out of order, and what"
              + " that leads to. Reads these parts of the log.")
  private boolean timestamps;

  @Override
  public Integer call() {
    TimeDisplay times = zone.display();
    DescribeTopicRequest request =
        DescribeTopicRequest.newBuilder()
            .setSource(server.source())
            .setTopic(topic)
            .addAllPartitions(PartitionList.parse(partitions))
            .setIncludeSegments(segments)
            .setIncludeTimestampReport(timestamps)
            .build();
    try (Client client = server.connect()) {
      DescribeTopicResponse response = client.log(log -> log.describeTopic(request));
      if (output.json()) {
        output.document(response);
      } else {
        new DescribeTables(output, times).print(response);
      }
      boolean failed =
          response.getPartitionsList().stream()
              .anyMatch(
                  partition -> partition.hasError() || partition.getTimestampReport().hasError());
      return failed ? ExitCode.SOME_FAILED : ExitCode.ANSWERED;
    }
  }
}
