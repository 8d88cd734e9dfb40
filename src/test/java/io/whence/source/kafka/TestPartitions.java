package io.whence.source.kafka;

import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.source.kafka.fetch.FetchedBounds;
import io.whence.testkit.BatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;

/** Makes partitions that no lane fetches, and feeds them by hand. Thread safety: immutable. */
final class TestPartitions {
  static final Duration LIMIT = Duration.ofMillis(200);

  private final Path directory;
  private final StartOffsets rule;
  private final Lanes lanes;
  private final LogEnvironment environment;

  TestPartitions(Path directory, StartOffsets rule, Lanes lanes) {
    this(directory, rule, lanes, LogEvents.NOOP);
  }

  TestPartitions(Path directory, StartOffsets rule, Lanes lanes, LogEvents events) {
    this.environment =
        new LogEnvironment(InstantSource.system(), Runnable::run, deletion -> {}, 1 << 20, events);
    this.directory = directory;
    this.rule = rule;
    this.lanes = lanes;
  }

  static TopicId id(String topic) {
    return new TopicId(new UUID(1, topic.hashCode()));
  }

  /** Makes one that has nothing. */
  FollowedPartition make(TopicPartition name) {
    try {
      FollowedLog log =
          FollowedLog.open(
              directory.resolve(name.toString()),
              name,
              LogConfig.of(Map.of()),
              environment,
              FollowedLogOptions.startingAt(0));
      return new FollowedPartition(
          "cluster",
          id(name.topic()),
          log,
          new BoundsQuestion(rule, lanes),
          Duration.ofSeconds(30));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes one that has what its leader has from an offset on. */
  FollowedPartition following(TopicPartition name, FakeLeaders.Log log, long firstOffset) {
    FollowedPartition partition = make(name);
    partition.beginAt(new StartOffsets.Begin(firstOffset, OptionalLong.empty()));
    catchUp(partition, log);
    return partition;
  }

  /** Feeds what the leader has more. */
  static void catchUp(FollowedPartition partition, FakeLeaders.Log log) {
    catchUp(partition, log, 0);
  }

  static void catchUp(FollowedPartition partition, FakeLeaders.Log log, int leaderEpoch) {
    FetchedBounds bounds =
        new FetchedBounds(log.start, log.end, log.end, leaderEpoch, System.nanoTime());
    long next = partition.position().nextOffset();
    if (next < log.end) {
      BatchBuilder batch = BatchBuilder.batch(next);
      log.records.tailMap(next).values().forEach(batch::record);
      partition.fetched(ByteBuffer.wrap(batch.build()), bounds);
    } else {
      partition.unchanged(bounds);
    }
  }
}
