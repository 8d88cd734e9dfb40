package io.whence.cli;

import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.DeleteTopicResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes a topic. Single-writer. */
@Command(
    name = "delete",
    description = "Removes a topic with all its records.",
    mixinStandardHelpOptions = true)
final class DeleteCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private Consent consent = new Consent();

  @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Option(
      names = "--topic-id",
      paramLabel = "ID",
      description = "Removes the topic only if it has this id.")
  private String topicId = "";

  @Override
  public Integer call() {
    consent.require("this removes topic '" + topic + "' with all its records", output);
    DeleteTopicRequest request =
        DeleteTopicRequest.newBuilder()
            .setSource(server.source())
            .setTopic(topic)
            .setTopicId(topicId)
            .build();
    try (Client client = server.connect()) {
      DeleteTopicResponse response = client.log(log -> log.deleteTopic(request));
      if (output.json()) {
        output.document(response);
      } else {
        output.line("deleted " + TopicWords.of(response.getTopic()));
      }
      return ExitCode.ANSWERED;
    }
  }
}
