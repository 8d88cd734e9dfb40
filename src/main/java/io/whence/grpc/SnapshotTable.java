package io.whence.grpc;

import io.whence.log.LogSnapshot;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that one call has taken, by topic and partition: a hash table of plain arrays, used
 * again by later calls. Its size follows what a call asks for, not what topics have. Thread safety:
 * single-writer.
 */
final class SnapshotTable {
  private static final int MAX_KEPT_SLOTS = 1 << 16;

  /** The golden ratio: spreads numbers that follow each other. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private long[] keys = new long[0];
  private @Nullable LogSnapshot[] values = new LogSnapshot[0];

  /** How many slots are in use: a power of two, at least twice the number of entries. */
  private int slots;

  /**
   * Makes room, and forgets all snapshots.
   *
   * @param count how many snapshots there may be at the most
   */
  void reset(int count) {
    clear();
    slots = Integer.highestOneBit(Math.max(1, count)) << 2;
    if (slots > keys.length) {
      keys = new long[slots];
      values = new LogSnapshot[slots];
    }
  }

  /** Forgets all snapshots, so that nothing is kept from being freed. */
  void clear() {
    if (keys.length > MAX_KEPT_SLOTS) {
      keys = new long[0];
      values = new LogSnapshot[0];
    } else {
      Arrays.fill(keys, 0, slots, 0);
      Arrays.fill(values, 0, slots, null);
    }
    slots = 0;
  }

  /**
   * Returns the slot of a partition, for {@link #get} and {@link #set}.
   *
   * @param topic a number that stands for the topic, 0 or above
   */
  int slot(int topic, int partition) {
    long key = key(topic, partition);
    int slot = (int) ((key * SPREAD) >>> 32) & (slots - 1);
    while (keys[slot] != 0 && keys[slot] != key) {
      slot = (slot + 1) & (slots - 1);
    }
    return slot;
  }

  /** Returns the snapshot in a slot; null if there is none yet. */
  @Nullable LogSnapshot get(int slot) {
    return values[slot];
  }

  /** Keeps a snapshot in the slot of its partition. */
  void set(int slot, int topic, int partition, LogSnapshot snapshot) {
    keys[slot] = key(topic, partition);
    values[slot] = snapshot;
  }

  /** Never 0, which marks a free slot. */
  private static long key(int topic, int partition) {
    return (topic + 1L) << 32 | partition;
  }
}
