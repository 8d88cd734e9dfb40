package io.whence.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.TopicPartition;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.LogServiceGrpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * The packaged server, started by the launcher as users do, on free loopback ports. Ends when
 * closed, and with this JVM. Thread safety: thread-safe.
 */
final class WhenceServer implements AutoCloseable {
  /** Partitions of each topic; one after the other they are numbered through. */
  private static final int PARTITIONS_PER_TOPIC = 1000;

  private static final Pattern PORT =
      Pattern.compile("gRPC listens: address=127\\.0\\.0\\.1:(\\d+)");
  private static final int START_LIMIT_SECONDS = 60;
  private static final int STOP_LIMIT_SECONDS = 30;
  private static final int CREATE_LIMIT_SECONDS = 120;

  private final Process process;
  private final Path data;
  private final Path log;
  private final int topicCount;
  private final Thread hook;

  private WhenceServer(Process process, Path data, Path log, int topicCount) {
    this.process = process;
    this.data = data;
    this.log = log;
    this.topicCount = topicCount;
    hook = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a server and makes topics.
   *
   * @param home where the launcher is
   * @param directory for data and log
   * @param partitionCount how many partitions there must be, at least
   */
  static WhenceServer start(Path home, Path directory, String javaOptions, int partitionCount) {
    Path data = directory.resolve("whence-data");
    Path log = directory.resolve("whence.log");
    ProcessBuilder builder =
        new ProcessBuilder(
                home.resolve("whence").toString(),
                "serve",
                "--data=" + data,
                "--port=0",
                "--http-port=0")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WHENCE_"));
    builder.environment().put("WHENCE_JAVA_OPTS", javaOptions);
    builder.environment().put("WHENCE_SKIP_BUILD", "1");
    int topicCount = (partitionCount + PARTITIONS_PER_TOPIC - 1) / PARTITIONS_PER_TOPIC;
    try {
      WhenceServer server = new WhenceServer(builder.start(), data, log, topicCount);
      server.prepare();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void prepare() {
    try {
      awaitStart();
      createTopics();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void awaitStart() {
    Awaitility.await()
        .atMost(START_LIMIT_SECONDS, TimeUnit.SECONDS)
        .failFast(() -> assertThat(process.isAlive()).as("the server ended:%n%s", log()).isTrue())
        .until(() -> log().contains(" ready: "));
  }

  private void createTopics() {
    try (Channels channels = Channels.open(port(), 1)) {
      for (int i = 0; i < topicCount; i++) {
        LogServiceGrpc.newBlockingStub(channels.of(0))
            .withDeadlineAfter(CREATE_LIMIT_SECONDS, TimeUnit.SECONDS)
            .createTopic(
                CreateTopicRequest.newBuilder()
                    .setTopic(topic(i))
                    .setPartitionCount(PARTITIONS_PER_TOPIC)
                    .build());
      }
    }
  }

  private static String topic(int number) {
    return "load-" + number;
  }

  int port() {
    Matcher port = PORT.matcher(log());
    if (!port.find()) {
      throw new IllegalStateException("the server doesn't say where it listens:\n" + log());
    }
    return Integer.parseInt(port.group(1));
  }

  int partitionCount() {
    return topicCount * PARTITIONS_PER_TOPIC;
  }

  /** Returns a partition by its number, counted through all topics. */
  TopicPartition partition(int number) {
    return new TopicPartition(topic(number / PARTITIONS_PER_TOPIC), number % PARTITIONS_PER_TOPIC);
  }

  /** Measures how many bytes a commit of so many partitions takes in the log. */
  int commitBytes(int partitions) {
    try (Channels channels = Channels.open(port(), 1)) {
      CommitCaller caller =
          new CommitCaller(
              channels.of(0),
              "load-size-" + partitions,
              IntStream.range(0, partitions).mapToObj(this::partition).toList());
      List<Long> sizes = Stream.generate(() -> grownBy(caller)).limit(5).sorted().toList();
      // The middle one: a compaction may come between.
      return Math.toIntExact(sizes.get(sizes.size() / 2));
    }
  }

  private long grownBy(CommitCaller caller) {
    final long before = logBytes();
    caller.prepare();
    caller.call();
    caller.check();
    return logBytes() - before;
  }

  private long logBytes() {
    try (Stream<Path> files =
        Files.find(
            data,
            2,
            (file, attributes) ->
                file.getFileName().toString().endsWith(".log")
                    && file.getParent().getFileName().toString().startsWith("__consumer"))) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills it: its data goes, too. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the server lives on after SIGKILL");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
