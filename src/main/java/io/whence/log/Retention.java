package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import java.util.List;

/**
 * Which segments are too old or too much, by Kafka's rules: oldest first, up to the first that has
 * to stay; an empty last one always stays. The largest record timestamp decides, never a file time.
 * Thread safety: immutable.
 */
final class Retention {
  private final TopicPartition partition;
  private final LogConfig config;
  private final long nowMs;
  private final LogEvents events;

  Retention(TopicPartition partition, LogConfig config, long nowMs, LogEvents events) {
    this.partition = partition;
    this.config = config;
    this.nowMs = nowMs;
    this.events = events;
  }

  /** Returns how many segments, from the oldest on, are to be deleted. */
  int deletableSegments(List<SegmentView> segments) {
    return Math.max(tooMuch(segments), tooOld(segments));
  }

  private int tooMuch(List<SegmentView> segments) {
    long limit = config.number(LogSetting.RETENTION_BYTES);
    if (limit < 0) {
      return 0;
    }
    long excess = segments.stream().mapToLong(s -> s.index().sizeBytes()).sum() - limit;
    int count = 0;
    for (SegmentView segment : segments) {
      excess -= segment.index().sizeBytes();
      if (excess < 0 || segment.index().sizeBytes() == 0) {
        break;
      }
      count++;
    }
    return count;
  }

  private int tooOld(List<SegmentView> segments) {
    long limit = config.number(LogSetting.RETENTION_MS);
    int count = 0;
    while (limit >= 0 && count < segments.size() && isTooOld(segments.get(count), limit)) {
      count++;
    }
    return count;
  }

  private boolean isTooOld(SegmentView segment, long limit) {
    TimestampHealth times = segment.index().timestamps();
    if (times.maxTimestampMs().isEmpty()) {
      return false; // Nothing says how old it is.
    }
    long newestMs = times.maxMs();
    if (newestMs > nowMs) {
      if (!config.ignoresFutureTimestamps()) {
        events.retentionBlocked(partition, segment.index().baseOffset(), newestMs);
        return false;
      }
      newestMs = newestUpToNow(segment);
    }
    return nowMs - newestMs > limit;
  }

  /** Returns the largest timestamp that is not after the clock; the smallest of all if none is. */
  private long newestUpToNow(SegmentView segment) {
    LogSnapshot log =
        new LogSnapshot(
            List.of(segment),
            segment.index().baseOffset(),
            segment.index().nextOffset(),
            AbortedTransactions.NONE,
            List.of());
    BlockCursor blocks = log.blocks(IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE);
    long[] newestMs = {segment.index().timestamps().minMs()};
    boolean more = blocks.moveToStart();
    while (more && newestMs[0] < nowMs && blocks.seekForward(newestMs[0] + 1)) {
      blocks.readRecords(
          (batch, record) -> {
            if (record.timestampMs() <= nowMs) {
              newestMs[0] = Math.max(newestMs[0], record.timestampMs());
            }
            return true;
          });
      more = blocks.moveToNext();
    }
    return newestMs[0];
  }
}
