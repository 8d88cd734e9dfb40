package io.whence.cli.demo;

import io.whence.cli.BadInputException;
import io.whence.cli.Client;
import io.whence.cli.ExitCode;
import io.whence.cli.Ink;
import io.whence.cli.OutputOptions;
import io.whence.cli.Tally;
import io.whence.cli.TimeDisplay;
import io.whence.cli.Whence;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.TopicSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Shows what Whence is for in one go: a server of its own, believable traffic, a directory that a
 * Kafka broker wrote, one question to both, and a group that is behind. Removes all traces unless
 * told to keep them. Single-writer.
 */
@Command(
    name = "whence demo",
    description = "Starts a server, fills a topic, and asks it and a real Kafka data directory.",
    mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  private static final String TOPIC = "orders";
  private static final Path SAMPLE = Path.of("src/main/dist/samples/orders-kafka-4.4.tar.gz");

  @Mixin private OutputOptions output = new OutputOptions();

  @Option(names = "--keep", description = "Leaves the server running and its data in place.")
  private boolean keep;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "0",
      description = "The port of the server on the loopback address. Default: a free one.")
  private int port;

  @Option(names = "--sample", hidden = true, description = "Another data directory, as .tar.gz.")
  private String sample = "";

  /** Runs the demo and exits with its code. */
  public static void main(String[] args) {
    Whence.runAndExit(new DemoCommand(), args);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (output.json()) {
      throw new BadInputException("--format", "the demo is for people: it prints tables only");
    }
    try (DemoServer server = DemoServer.prepare()) {
      try {
        start(server);
        return show(server);
      } catch (IOException e) {
        // Whoever interrupts the demo ends the server too, and needs no telling.
        if (!server.isFinished()) {
          output.err().println("whence: the demo failed: " + e.getMessage());
        }
        return ExitCode.SERVER_FAILED;
      }
    } catch (IOException e) {
      output.err().println("whence: no temporary directory: " + e.getMessage());
      return ExitCode.SERVER_FAILED;
    }
  }

  private void start(DemoServer server) throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    Path home = Path.of(System.getProperty("whence.home", ".")).toAbsolutePath();
    Path file = sample.isEmpty() ? home.resolve(SAMPLE) : Path.of(sample);
    Optional<Path> archive = Optional.empty();
    if (Files.exists(file)) {
      archive = Optional.of(SampleArchive.unpack(file, server.directory().resolve("sample")));
    } else {
      output.err().println("whence: " + file + " is missing; going on without it");
    }
    server.start(home, port, archive);
    server.awaitReady();
    step(startNanos, "started a server at " + server.address());
  }

  private int show(DemoServer server) throws IOException {
    Instant now = Instant.now();
    LocalDate yesterday = DemoQuestions.yesterday(now);
    try (Client client = Client.open(server.address(), Duration.ofSeconds(30))) {
      fill(client, now);
      DemoQuestions questions = new DemoQuestions(client, output);
      output.line("");
      output.line(
          "Which offsets are yesterday 15:00-16:00 in " + DemoQuestions.ZONE + "?", Ink.BOLD);
      output.line("");
      questions.askEmbedded(TOPIC, yesterday);
      Optional<String> archived = archivedTopic(client);
      if (archived.isPresent()) {
        output.line(
            "And in a data directory that a Kafka broker wrote, opened read-only?", Ink.BOLD);
        output.line("");
        questions.askArchive(archived.get(), yesterday);
      }
      output.line("");
      new DemoGroups(client, output, TOPIC).show(DemoQuestions.start(yesterday));
      output.line("");
    }
    DemoNextSteps next = new DemoNextSteps(output, TOPIC, DemoQuestions.start(yesterday));
    if (keep) {
      server.keep();
      next.printRunning(server);
    } else {
      next.printStopped();
    }
    return ExitCode.ANSWERED;
  }

  private void fill(Client client, Instant now) throws IOException {
    long startNanos = System.nanoTime();
    CreateTopicRequest topic =
        CreateTopicRequest.newBuilder()
            .setSource("embedded")
            .setTopic(TOPIC)
            .setPartitionCount(DemoTraffic.PARTITIONS)
            .putConfig("segment.ms", "86400000")
            .putConfig("retention.ms", "-1")
            .build();
    client.log(log -> log.createTopic(topic));
    long records = 0;
    for (AppendRequest request : new DemoTraffic(now).requests("embedded", TOPIC)) {
      AppendResponse response = client.log(log -> log.append(request));
      Tally failures = new Tally();
      response.getResultsList().stream()
          .filter(result -> result.hasError())
          .forEach(
              result -> failures.failed("partition " + result.getPartition(), result.getError()));
      failures.printFailures(output);
      if (failures.exitCode() == ExitCode.SOME_FAILED) {
        throw new IOException("the server refused records");
      }
      records += request.getEntriesList().stream().mapToInt(AppendEntry::getRecordsCount).sum();
    }
    step(
        startNanos,
        "appended "
            + records
            + " orders of four days to topic "
            + TOPIC
            + ", "
            + DemoTraffic.PARTITIONS
            + " partitions, on disk");
  }

  private static Optional<String> archivedTopic(Client client) {
    ListTopicsRequest request = ListTopicsRequest.getDefaultInstance();
    List<String> topics =
        client.log(log -> log.listTopics(request)).getTopicsList().stream()
            .filter(topic -> topic.getSource().equals("sample"))
            .map(TopicSummary::getTopic)
            .filter(topic -> !topic.startsWith("__"))
            .toList();
    return topics.contains(TOPIC) ? Optional.of(TOPIC) : topics.stream().findFirst();
  }

  private void step(long startNanos, String what) {
    long ms = (System.nanoTime() - startNanos) / 1_000_000;
    output.line(what + Ink.DIM.paint(" (" + TimeDisplay.span(ms) + ")", output.colour()));
    output.out().flush();
  }
}
