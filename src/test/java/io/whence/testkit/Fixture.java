package io.whence.testkit;

import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one recorded log directory: bounds and answers per partition, computed by
 * brute force when it was recorded, and what a real broker answered. {@code
 * src/test/resources/fixtures/README.md} explains the terms. Thread safety: immutable.
 *
 * @param name the name of the fixture
 * @param cleanShutdown whether the broker that wrote it stopped cleanly; else it was killed
 * @param afterRecovery whether records and answers are those that recovery keeps, not all stored
 * @param partitions the partitions, as listed
 */
public record Fixture(
    String name, boolean cleanShutdown, boolean afterRecovery, List<Partition> partitions) {
  /** Copies the list. */
  public Fixture {
    partitions = List.copyOf(partitions);
  }

  /** Returns one partition by the name of its directory. */
  public Partition partition(String dir) {
    return partitions.stream()
        .filter(p -> p.dir().equals(dir))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name + " has no partition " + dir));
  }

  /**
   * One partition.
   *
   * @param topicPartition which one
   * @param logStartOffset the earliest offset, inclusive
   * @param logEndOffset the offset after the last record, exclusive
   * @param highWatermark the end of what is committed, exclusive
   * @param lastStableOffset the end of what is decided, exclusive
   * @param checkpoints what the checkpoint files say
   * @param segmentBaseOffsets the base offsets of its segments, ascending
   * @param sentinels answers to positions by name
   * @param queries answers to positions by time
   */
  public record Partition(
      TopicPartition topicPartition,
      long logStartOffset,
      long logEndOffset,
      long highWatermark,
      long lastStableOffset,
      Checkpoints checkpoints,
      List<Long> segmentBaseOffsets,
      Sentinels sentinels,
      List<Query> queries) {
    /** Copies the lists. */
    public Partition {
      segmentBaseOffsets = List.copyOf(segmentBaseOffsets);
      queries = List.copyOf(queries);
    }

    /** Returns the name of its directory. */
    public String dir() {
      return topicPartition.toString();
    }
  }

  /**
   * The lines of the checkpoint files; null where a file has no line for the partition.
   *
   * @param logStart of {@code log-start-offset-checkpoint}
   * @param high of {@code replication-offset-checkpoint}; may lag behind the high watermark
   * @param recovery of {@code recovery-point-offset-checkpoint}
   */
  public record Checkpoints(@Nullable Long logStart, @Nullable Long high, @Nullable Long recovery) {
    /** Returns the log start offset, if the file has it. */
    public OptionalLong logStartOffset() {
      return logStart == null ? OptionalLong.empty() : OptionalLong.of(logStart);
    }
  }

  /**
   * A record in an answer.
   *
   * @param offset its offset; negative in an answer of a broker that found nothing
   * @param timestampMs its timestamp; negative for none
   * @param leaderEpoch its leader epoch; negative for none
   */
  public record Stamp(long offset, long timestampMs, int leaderEpoch) {}

  /**
   * Answers to positions by name.
   *
   * @param maxTimestamp the visible record with the largest timestamp by brute force, counting
   *     negative ones; no entry when nothing is visible
   * @param kafka what a broker answered, by {@code earliest}, {@code latest}, {@code max_timestamp}
   */
  public record Sentinels(
      Map<IsolationLevel, Stamp> maxTimestamp, Map<String, Map<IsolationLevel, Stamp>> kafka) {
    /** Returns what a broker answered to a position by name. */
    public Stamp kafka(String name, IsolationLevel isolation) {
      return Objects.requireNonNull(kafka.getOrDefault(name, Map.of()).get(isolation));
    }
  }

  /**
   * Answers to positions by one time.
   *
   * @param timestampMs the time asked for
   * @param why why this time is interesting
   * @param numeric brute force that takes negative timestamps for numbers
   * @param answers brute force that ignores records with negative timestamps: what Whence promises
   * @param kafka what a broker answered; without entry for an isolation level where it failed
   * @param kafkaDiffers why the broker's answer is not the exact one; no entry where it is
   */
  public record Query(
      long timestampMs,
      String why,
      Map<IsolationLevel, Answer> numeric,
      Map<IsolationLevel, Answer> answers,
      Map<IsolationLevel, Stamp> kafka,
      Map<IsolationLevel, String> kafkaDiffers) {
    /** Returns what Whence promises to answer. */
    public Answer answer(IsolationLevel isolation) {
      return Objects.requireNonNull(answers.get(isolation));
    }
  }

  /**
   * The answers for one time and isolation level; null where there is no such record.
   *
   * @param firstAtOrAfter the visible record of the lowest offset at or after the time
   * @param lastAtOrBefore the visible record of the highest offset at or before the time
   * @param lastBefore the visible record of the highest offset before the time
   * @param suffixSafeOffset the lowest offset from which on no visible record is before the time
   */
  public record Answer(
      @Nullable Stamp firstAtOrAfter,
      @Nullable Stamp lastAtOrBefore,
      @Nullable Stamp lastBefore,
      long suffixSafeOffset) {}
}
