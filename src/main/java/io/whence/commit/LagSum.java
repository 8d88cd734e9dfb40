package io.whence.commit;

import java.util.OptionalLong;

/**
 * The lag of several partitions together. Sums stop at the largest long instead of wrapping, so
 * that none is ever negative. Thread safety: single-writer.
 */
public final class LagSum {
  private int partitionCount;
  private long offsetLag;
  private long recordLag;
  private long maxStalenessMs = -1;
  private long maxSpanMs = -1;
  private int withoutOffset;
  private int stale;
  private int belowStart;
  private int aheadOfEnd;
  private int failed;

  /** Counts one partition. */
  public void add(PartitionLag lag) {
    partitionCount++;
    countStatus(lag);
    offsetLag = saturated(offsetLag, lag.offsetLag().orElse(0));
    recordLag = saturated(recordLag, lag.recordLag().orElse(0));
    maxStalenessMs = Math.max(maxStalenessMs, lag.stalenessMs().orElse(-1));
    maxSpanMs = Math.max(maxSpanMs, lag.spanMs().orElse(-1));
  }

  private void countStatus(PartitionLag lag) {
    switch (lag.status()) {
      case CAUGHT_UP, BEHIND -> {}
      case BELOW_START -> belowStart++;
      case AHEAD_OF_END -> aheadOfEnd++;
      case NO_OFFSET -> withoutOffset++;
      case STALE_TOPIC -> stale++;
      case UNKNOWN_TOPIC, UNKNOWN_PARTITION -> countUnknown(lag);
      case FAILED -> failed++;
    }
  }

  /** What is committed for a place that is not there was committed for a topic that is gone. */
  private void countUnknown(PartitionLag lag) {
    if (lag.committedOffset().isPresent()) {
      stale++;
    } else {
      withoutOffset++;
    }
  }

  /** Returns how many partitions were counted. */
  public int partitionCount() {
    return partitionCount;
  }

  /** Returns the sum of the offset lags. */
  public long offsetLag() {
    return offsetLag;
  }

  /** Returns the sum of the record lags. */
  public long recordLag() {
    return recordLag;
  }

  /** Returns the largest staleness, in milliseconds; nothing if there is none. */
  public OptionalLong maxStalenessMs() {
    return maxStalenessMs < 0 ? OptionalLong.empty() : OptionalLong.of(maxStalenessMs);
  }

  /** Returns the largest span, in milliseconds; nothing if there is none. */
  public OptionalLong maxSpanMs() {
    return maxSpanMs < 0 ? OptionalLong.empty() : OptionalLong.of(maxSpanMs);
  }

  /** Returns how many partitions have nothing committed. */
  public int partitionsWithoutOffset() {
    return withoutOffset;
  }

  /** Returns how many have an offset of a topic that is gone or was created again. */
  public int partitionsStale() {
    return stale;
  }

  /** Returns how many have an offset below the log start. */
  public int partitionsBelowStart() {
    return belowStart;
  }

  /** Returns how many have an offset above the end. */
  public int partitionsAheadOfEnd() {
    return aheadOfEnd;
  }

  /** Returns how many could not be told. */
  public int partitionsFailed() {
    return failed;
  }

  private static long saturated(long sum, long more) {
    long total = sum + more;
    return total < 0 ? Long.MAX_VALUE : total;
  }
}
