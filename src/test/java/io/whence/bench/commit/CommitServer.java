package io.whence.bench.commit;

import io.whence.bench.Channels;
import io.whence.bench.WhenceServer;
import io.whence.model.TopicPartition;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.LogServiceGrpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A server with topics to commit for. Ends when closed. Thread safety: thread-safe.
 *
 * @param server the server
 * @param data its data directory
 * @param topicCount how many topics it has
 */
record CommitServer(WhenceServer server, Path data, int topicCount) implements AutoCloseable {
  /** Partitions of each topic; one after the other they are numbered through. */
  private static final int PARTITIONS_PER_TOPIC = 1000;

  private static final int CREATE_LIMIT_SECONDS = 120;

  /**
   * Starts a server and makes topics.
   *
   * @param data for its data
   * @param partitionCount how many partitions there must be, at least
   */
  static CommitServer start(Path data, int partitionCount) {
    int topicCount = (partitionCount + PARTITIONS_PER_TOPIC - 1) / PARTITIONS_PER_TOPIC;
    CommitServer made = new CommitServer(WhenceServer.start(data), data, topicCount);
    try {
      made.createTopics();
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
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
    return server.port();
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

  @Override
  public void close() {
    server.close();
  }
}
