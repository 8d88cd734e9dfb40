package io.whence.source.kafka;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;

/** A source that follows a cluster, with what it needs. Thread safety: single-writer. */
final class FollowedCluster implements AutoCloseable {
  private final ScheduledExecutorService scheduler;
  private final KafkaSource source;

  private FollowedCluster(ScheduledExecutorService scheduler, KafkaSource source) {
    this.scheduler = scheduler;
    this.source = source;
  }

  static FollowedCluster open(Path directory, String bootstrapServers) throws IOException {
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    KafkaOptions options =
        new KafkaOptions(
            directory,
            Map.of("bootstrap.servers", bootstrapServers),
            new KafkaOptions.Topics(Pattern.compile(".*"), Pattern.compile("(?!)")),
            new KafkaOptions.Timing(
                Duration.ofMillis(500), Duration.ofSeconds(2), Duration.ofSeconds(3)),
            2,
            new KafkaOptions.Resources(
                InstantSource.system(), scheduler, Thread::new, LogEvents.NOOP, LogMemory.usual()));
    return new FollowedCluster(scheduler, KafkaSource.open("cluster", options));
  }

  KafkaSource source() {
    return source;
  }

  @Override
  public void close() throws IOException {
    source.close();
    scheduler.shutdownNow();
  }
}
