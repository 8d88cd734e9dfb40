package io.whence.source.kafka.fetch;

import io.whence.model.TopicId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.stream.IntStream;

/** A lane with its events and threads. Thread safety: thread-safe. */
final class TestLane implements AutoCloseable {
  /** Retries faster than in earnest; a busy machine makes no fault of a slow answer. */
  static final FetchLimits QUICK = limits(Duration.ofMillis(500), Duration.ofSeconds(10));

  /** For who never answers. */
  static final FetchLimits IMPATIENT = limits(Duration.ofMillis(500), Duration.ofSeconds(1));

  final RecordingEvents events = new RecordingEvents();
  final List<Thread> threads = new CopyOnWriteArrayList<>();
  final FetchLane lane;

  /** Returns limits that retry fast. */
  static FetchLimits limits(Duration maxWait, Duration timeout) {
    return new FetchLimits(
        8 << 20,
        1 << 20,
        256 << 20,
        maxWait,
        Duration.ofMillis(5),
        timeout,
        new FetchBackoff(Duration.ofMillis(100), Duration.ofSeconds(2), Duration.ofSeconds(1)));
  }

  private TestLane(Map<String, Object> config, FetchLimits limits) {
    ThreadFactory factory =
        task -> {
          Thread thread = new Thread(task, "lane-test");
          thread.setDaemon(true);
          threads.add(thread);
          return thread;
        };
    lane = FetchLane.start("test", new HashMap<>(config), limits, factory, events);
  }

  static TestLane start(String bootstrapServers) {
    return start(bootstrapServers, QUICK);
  }

  static TestLane start(String bootstrapServers, FetchLimits limits) {
    return start(Map.of("bootstrap.servers", bootstrapServers), limits);
  }

  static TestLane start(Map<String, Object> config, FetchLimits limits) {
    return new TestLane(config, limits);
  }

  RecordingFeed follow(String topic, int partition, TopicId id) {
    RecordingFeed feed = new RecordingFeed(topic, partition, id);
    lane.follow(feed);
    return feed;
  }

  List<RecordingFeed> followAll(String topic, int partitions, TopicId id) {
    return IntStream.range(0, partitions).mapToObj(p -> follow(topic, p, id)).toList();
  }

  @Override
  public void close() {
    lane.close();
  }
}
