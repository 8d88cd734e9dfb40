package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.FollowedLog;
import io.whence.log.LeaderRecords;
import io.whence.log.LogSnapshot;
import io.whence.testkit.LeaderHistory;
import io.whence.testkit.OracleRecord;
import io.whence.testkit.OracleRecord.Kind;
import java.io.IOException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * The log cleaner of a leader: takes away random records that are decided, and lets the log that
 * follows do so too. Thread safety: single-writer.
 */
final class LeaderCleaner {
  private final Random random;
  private final Set<Long> removed = new HashSet<>();
  private long endOffset;

  LeaderCleaner(Random random) {
    this.random = random;
  }

  /**
   * Cleans.
   *
   * @param leader what the leader has of what was followed
   * @return how many records it has taken away
   */
  int clean(LeaderHistory leader, FollowedLog log) throws IOException {
    LogSnapshot before = log.snapshot();
    long stable = Math.min(leader.firstOpenOffset(), before.lastStableOffset());
    int share = random.nextInt(4);
    int count = 0;
    for (OracleRecord record : leader.records()) {
      boolean isCleanable =
          record.offset() >= before.logStartOffset()
              && record.offset() < stable
              && record.kind() != Kind.CONTROL;
      if (isCleanable && random.nextInt(4) < share && removed.add(record.offset())) {
        count++;
      }
    }
    assertThat(log.keepOnly(new Cleaned(removed, new HashSet<>()))).hasValue(count);
    endOffset = before.highWatermark();
    return count;
  }

  /** Returns below which offset it was at work; 0 if it was not. */
  long endOffset() {
    return endOffset;
  }

  boolean hasRemoved(long offset) {
    return removed.contains(offset);
  }

  /** All from an offset on is fetched again, whole. */
  void fetchedAgain(long fromOffset) {
    removed.removeIf(offset -> offset >= fromOffset);
  }

  /** The log goes on empty. */
  void beginAnew() {
    endOffset = 0;
  }

  private record Cleaned(Set<Long> gone, Set<Long> asked) implements LeaderRecords {
    @Override
    public boolean has(long offset, long timestampMs) {
      assertThat(asked.add(offset)).as("asked once for %s", offset).isTrue();
      return !gone.contains(offset);
    }

    @Override
    public boolean isOfSameLog() {
      return true;
    }
  }
}
