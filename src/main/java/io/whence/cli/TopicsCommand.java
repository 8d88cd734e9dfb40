package io.whence.cli;

import io.whence.cli.TextTable.Cell;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ListTopicsResponse;
import io.whence.v1.SourceInfo;
import io.whence.v1.TopicSummary;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists sources and topics. Single-writer. */
@Command(
    name = "topics",
    description = "Lists sources and topics.",
    mixinStandardHelpOptions = true)
final class TopicsCommand implements Callable<Integer> {
  @Mixin private ServerOptions server = new ServerOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  public Integer call() {
    ListTopicsRequest request = ListTopicsRequest.newBuilder().setSource(server.source()).build();
    try (Client client = server.connect()) {
      ListTopicsResponse response = client.log(log -> log.listTopics(request));
      if (output.json()) {
        output.document(response);
      } else {
        print(response);
      }
      return ExitCode.ANSWERED;
    }
  }

  private void print(ListTopicsResponse response) {
    TextTable topics =
        new TextTable(
            TextTable.left("source"),
            TextTable.left("topic"),
            TextTable.right("partitions"),
            TextTable.left("topic id"));
    for (TopicSummary topic : response.getTopicsList()) {
      topics.add(
          topic.getSource(), topic.getTopic(), topic.getPartitionCount(), topic.getTopicId());
    }
    output.table(topics);
    output.line("");
    for (SourceInfo source : response.getSourcesList()) {
      printSource(response, source);
    }
  }

  private void printSource(ListTopicsResponse response, SourceInfo source) {
    long topics =
        response.getTopicsList().stream()
            .filter(t -> t.getSource().equals(source.getName()))
            .count();
    String kind =
        source.getKind().name().replaceFirst("^SOURCE_KIND_", "").toLowerCase(Locale.ROOT);
    Cell state = source.getReady() ? new Cell("ready", Ink.GREEN) : new Cell("loading", Ink.YELLOW);
    output.line(
        "  source "
            + DisplayText.printable(source.getName())
            + (kind.equals(source.getName()) ? "" : " (" + kind + ")")
            + ": "
            + state.ink().paint(state.text(), output.colour())
            + ", "
            + topics
            + (topics == 1 ? " topic" : " topics"));
    source
        .getWarningsList()
        .forEach(w -> output.line("    warning: " + DisplayText.printable(w), Ink.YELLOW));
  }
}
