package io.whence.source.kafka;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.source.kafka.fetch.FetchEvents;
import io.whence.source.kafka.fetch.FetchLane;
import io.whence.source.kafka.fetch.FetchLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;

/** A source that follows a cluster, with what it needs. Thread safety: single-writer. */
public final class FollowedCluster implements AutoCloseable {
  private final ScheduledExecutorService scheduler;
  private final KafkaSource source;

  private FollowedCluster(ScheduledExecutorService scheduler, KafkaSource source) {
    this.scheduler = scheduler;
    this.source = source;
  }

  static FollowedCluster open(Path directory, String bootstrapServers) throws IOException {
    return open(directory, bootstrapServers, ".*");
  }

  /**
   * Follows topics whose whole names match.
   *
   * @throws IOException if the directory can't be used
   */
  public static FollowedCluster open(Path directory, String bootstrapServers, String topics)
      throws IOException {
    return open(
        directory, Map.of("bootstrap.servers", bootstrapServers), topics, Duration.ofMillis(500));
  }

  static FollowedCluster open(Path directory, Map<String, Object> client, StartPoint start)
      throws IOException {
    return open(directory, client, start, ".*", Duration.ofMillis(500));
  }

  static FollowedCluster open(
      Path directory, Map<String, Object> client, String topics, Duration refresh)
      throws IOException {
    return open(directory, client, new StartPoint.Earliest(), topics, refresh);
  }

  private static FollowedCluster open(
      Path directory, Map<String, Object> client, StartPoint start, String topics, Duration refresh)
      throws IOException {
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    KafkaOptions options =
        new KafkaOptions(
            directory,
            client,
            new KafkaOptions.Topics(Pattern.compile(topics), Pattern.compile("(?!)")),
            start,
            new KafkaOptions.Timing(
                refresh, Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofMillis(500)),
            2,
            new KafkaOptions.Resources(
                InstantSource.system(),
                scheduler,
                Thread::new,
                KafkaEvents.NOOP,
                LogEvents.NOOP,
                LogMemory.usual()));
    return new FollowedCluster(scheduler, KafkaSource.open("cluster", options));
  }

  /** Returns a lane of a cluster that isn't there. */
  static FetchLane idleLane() {
    return FetchLane.start(
        "idle",
        Map.of("bootstrap.servers", "127.0.0.1:1"),
        FetchLimits.DEFAULT,
        FollowedCluster::daemon,
        FetchEvents.NOOP);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }

  /** Returns the source. */
  public KafkaSource source() {
    return source;
  }

  @Override
  public void close() throws IOException {
    source.close();
    scheduler.shutdownNow();
  }
}
