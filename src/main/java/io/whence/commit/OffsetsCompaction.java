package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.log.RecordKeeper;
import io.whence.model.Cancellation;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which records of a partition of the offsets topic are kept: of an offset the last record
 * and those of its last changes; of a removed one the tombstone, for a while; answers to requests
 * as long as they are remembered; everything else that isn't ours. Thread safety: single-writer.
 */
final class OffsetsCompaction implements RecordKeeper {
  /** How long a tombstone is kept, for those who read the log: Kafka's delete.retention.ms. */
  static final long TOMBSTONE_MS = 86_400_000;

  private static final int MIN_HISTORY = 1;

  /** Clocks step back: an answer stays on disk longer than it is looked for. */
  private static final int SLACK = 2;

  private final int historyLimit;
  private final long requestsSinceMs;
  private final long tombstonesSinceMs;

  /** The end of what was looked through: what is behind it may be the last of its key. */
  private final long endOffset;

  private final Map<OffsetsKey.Offset, Trail> trails = new HashMap<>();

  /** The records of one key. */
  private final class Trail {
    /** Where the last changes are, in a ring. */
    private final long[] changes;

    private int changeCount;
    private long last;
    private boolean removed;

    Trail(int limit) {
      changes = new long[limit];
    }

    void add(long position, boolean tombstone, boolean renewal) {
      last = position;
      removed = tombstone;
      if (tombstone) {
        changeCount = 0;
      } else if (!renewal) {
        changes[changeCount++ % changes.length] = position;
      }
    }

    boolean keeps(long position, long timestampMs) {
      if (removed) {
        return position == last && timestampMs >= tombstonesSinceMs;
      }
      return position == last || isChange(position);
    }

    private boolean isChange(long position) {
      for (int i = 0; i < Math.min(changeCount, changes.length); i++) {
        if (changes[i] == position) {
          return true;
        }
      }
      return false;
    }
  }

  private OffsetsCompaction(
      int historyLimit, long requestsSinceMs, long tombstonesSinceMs, long endOffset) {
    this.endOffset = endOffset;
    this.historyLimit = Math.max(historyLimit, MIN_HISTORY);
    this.requestsSinceMs = requestsSinceMs;
    this.tombstonesSinceMs = tombstonesSinceMs;
  }

  /**
   * Looks through a log.
   *
   * @param historyLimit how many changes of an offset are kept
   * @param requestWindowMs how long answers to requests are kept
   * @param nowMs the clock, in epoch milliseconds
   */
  static OffsetsCompaction of(LogSnapshot log, int historyLimit, long requestWindowMs, long nowMs) {
    OffsetsCompaction compaction =
        new OffsetsCompaction(
            historyLimit,
            nowMs - SLACK * requestWindowMs,
            nowMs - TOMBSTONE_MS,
            log.highWatermark());
    log.readAll(
        log.logStartOffset(), (batch, record) -> compaction.note(record), Cancellation.NONE);
    return compaction;
  }

  private boolean note(RecordCursor record) {
    OffsetsKey.Offset key = offsetKey(record);
    if (key != null) {
      boolean renewal = ChangeNote.find(record.headers()).filter(ChangeNote::renewal).isPresent();
      trails
          .computeIfAbsent(key, k -> new Trail(historyLimit))
          .add(record.offset(), record.value() == null, renewal);
    }
    return true;
  }

  private static OffsetsKey.@Nullable Offset offsetKey(RecordCursor record) {
    return parse(record)
        .map(key -> key instanceof OffsetsKey.Offset offset ? offset : null)
        .orElse(null);
  }

  private static Optional<OffsetsKey> parse(RecordCursor record) {
    byte[] key = record.key();
    return key == null
        ? Optional.empty()
        : Optional.of(StoredCommits.parse(record.offset(), () -> OffsetsKey.parse(key)));
  }

  @Override
  public boolean keeps(RecordBatch batch, RecordCursor record) {
    if (record.offset() >= endOffset) {
      return true;
    }
    OffsetsKey key = parse(record).orElse(null);
    if (key instanceof OffsetsKey.Offset offset) {
      Trail trail = trails.get(offset);
      return trail == null || trail.keeps(record.offset(), record.timestampMs());
    }
    return !(key instanceof OffsetsKey.Request) || record.timestampMs() >= requestsSinceMs;
  }
}
