package io.whence.cli;

import io.whence.v1.CreateTopicRequest;
import io.whence.v1.CreateTopicResponse;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a topic. Single-writer. */
@Command(name = "create", description = "Makes a topic.", mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(
      names = "--partitions",
      paramLabel = "COUNT",
      defaultValue = "1",
      description = "How many partitions. Default: 1.")
  private int partitions = 1;

  @Option(
      names = "--config",
      paramLabel = "KEY=VALUE",
      description = "A setting by Kafka's name, such as retention.ms=86400000. Repeatable.")
  private Map<String, String> config = Map.of();

  @Override
  public Integer call() {
    CreateTopicRequest request =
        CreateTopicRequest.newBuilder()
            .setSource(server.source())
            .setTopic(topic)
            .setPartitionCount(partitions)
            .putAllConfig(config)
            .build();
    try (Client client = server.connect()) {
      CreateTopicResponse response = client.log(log -> log.createTopic(request));
      if (output.json()) {
        output.document(response);
      } else {
        output.line("created " + TopicWords.of(response.getTopic()));
      }
      return ExitCode.ANSWERED;
    }
  }
}
