package io.whence.source.embedded;

import io.whence.log.DataDirectory;
import io.whence.log.PartitionLog;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the logs of a source need done from time to time: retention and recovery points. Thread
 * safety: thread-safe.
 */
final class Maintenance {
  static final Comparator<TopicPartition> BY_TOPIC_AND_PARTITION =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  private static final long CHECKPOINT_INTERVAL_SECONDS = 60;

  private final EmbeddedOptions options;
  private final DataDirectory data;
  private final Supplier<List<PartitionLog>> logs;
  private @Nullable ScheduledFuture<?> retention;
  private @Nullable ScheduledFuture<?> checkpoints;

  Maintenance(EmbeddedOptions options, DataDirectory data, Supplier<List<PartitionLog>> logs) {
    this.options = options;
    this.data = data;
    this.logs = logs;
  }

  synchronized void start() {
    long retentionMs = options.retentionInterval().toMillis();
    retention =
        options
            .scheduler()
            .scheduleWithFixedDelay(
                this::retainAll, retentionMs, retentionMs, TimeUnit.MILLISECONDS);
    checkpoints =
        options
            .scheduler()
            .scheduleWithFixedDelay(
                this::storeRecoveryPoints,
                CHECKPOINT_INTERVAL_SECONDS,
                CHECKPOINT_INTERVAL_SECONDS,
                TimeUnit.SECONDS);
  }

  synchronized void stop() {
    if (retention != null) {
      retention.cancel(false);
    }
    if (checkpoints != null) {
      checkpoints.cancel(false);
    }
  }

  private void retainAll() {
    for (PartitionLog log : logs.get()) {
      try {
        log.retain(data);
      } catch (IOException | RuntimeException e) {
        // Tried again at the next run; the others must not wait for this one.
        options.events().warned(log.partition(), "retention failed: " + e);
      }
    }
  }

  private void storeRecoveryPoints() {
    try {
      data.storeRecoveryPoints(this::highWatermarks);
    } catch (IOException | RuntimeException e) {
      // The older ones stay; the schedule must not end.
      logs.get().stream()
          .findFirst()
          .ifPresent(
              log ->
                  options
                      .events()
                      .warned(log.partition(), "recovery points were not stored: " + e));
    }
  }

  private Map<TopicPartition, Long> highWatermarks() {
    Map<TopicPartition, Long> offsets = new TreeMap<>(BY_TOPIC_AND_PARTITION);
    for (PartitionLog log : logs.get()) {
      offsets.put(log.partition(), log.snapshot().highWatermark());
    }
    return offsets;
  }
}
