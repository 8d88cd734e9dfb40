package io.whence.bench.follow;

import io.whence.source.kafka.FollowedCluster;
import io.whence.source.kafka.KafkaSource;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A source that follows the topic into its own logs and indexes, until it answers for all of it.
 * Thread safety: single-writer.
 */
final class SourceReader implements Reader {
  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final KafkaBroker broker;
  private final boolean again;

  /**
   * Makes a reader.
   *
   * @param again whether the time is that of a second start, on what the first has left
   */
  SourceReader(KafkaBroker broker, boolean again) {
    this.broker = broker;
    this.again = again;
  }

  @Override
  public long read(BenchTopic topic) throws IOException {
    Path directory = Directories.temporary("whence-bench");
    try {
      long nanos = follow(topic, directory);
      return again ? follow(topic, directory) : nanos;
    } finally {
      Directories.delete(directory);
    }
  }

  private long follow(BenchTopic topic, Path directory) throws IOException {
    long start = System.nanoTime();
    try (FollowedCluster cluster =
        FollowedCluster.open(directory, broker.bootstrapServers(), topic.name())) {
      awaitReady(cluster.source(), topic);
      return System.nanoTime() - start;
    }
  }

  /** Waits until a source answers for all partitions of a topic, as they are. */
  static void awaitReady(KafkaSource source, BenchTopic topic) {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (!source.isReady()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("not ready: " + source.warnings());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    long records = 0;
    for (int partition = 0; partition < topic.partitions(); partition++) {
      records += source.logs(topic.name()).snapshot(partition).highWatermark();
    }
    if (records != topic.records()) {
      throw new IllegalStateException("ready with " + records + " of " + topic.records());
    }
  }
}
