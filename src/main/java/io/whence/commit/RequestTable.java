package io.whence.commit;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The requests that were answered not long ago, oldest first. Invariant: none is forgotten before
 * its time; if there is no room, new ones are refused. Thread safety: single-writer; the lock of
 * the partition guards it.
 */
final class RequestTable {
  private final long windowMs;
  private final Room room;
  private final Map<RequestKey, Entry> byAge = new LinkedHashMap<>();

  /** How many requests all tables together may hold. Thread safety: thread-safe. */
  static final class Room {
    private final int limit;
    private final AtomicInteger taken = new AtomicInteger();

    Room(int limit) {
      this.limit = limit;
    }

    int taken() {
      return taken.get();
    }

    boolean isFull() {
      return taken.get() >= limit;
    }
  }

  /** One request. */
  static final class Entry {
    private long answeredMs;
    private final long fingerprint;
    private long position;
    private @Nullable CommitReply pending;

    private Entry(long answeredMs, long fingerprint, long position, @Nullable CommitReply pending) {
      this.answeredMs = answeredMs;
      this.fingerprint = fingerprint;
      this.position = position;
      this.pending = pending;
    }

    /** Returns the answer as long as it is not on disk. */
    Optional<CommitReply> pending() {
      return Optional.ofNullable(pending);
    }

    /** Returns the offset of the record that has the answer. */
    long position() {
      return position;
    }

    /** Fails if the id was used for another request; only while the answer is not on disk. */
    void requireFingerprint(long wanted, String group, String requestId) {
      if (fingerprint != wanted) {
        throw reused(group, requestId);
      }
    }
  }

  RequestTable(long windowMs, Room room) {
    this.windowMs = windowMs;
    this.room = room;
  }

  static WhenceException reused(String group, String requestId) {
    return WhenceException.of(
        ErrorReason.REQUEST_ID_REUSED,
        "request_id: '" + requestId + "' was used for another request; take a new one",
        "group",
        group,
        "request_id",
        requestId);
  }

  Optional<Entry> find(RequestKey key, long nowMs) {
    forgetOld(nowMs);
    return Optional.ofNullable(byAge.get(key));
  }

  /** Fails with {@code OVERLOADED} if there is no room for one more. */
  void requireRoom(long nowMs) {
    forgetOld(nowMs);
    if (room.isFull()) {
      throw full(room.limit);
    }
  }

  static WhenceException full(int limit) {
    return WhenceException.of(
        ErrorReason.OVERLOADED,
        "request_id: "
            + limit
            + " requests are remembered (whence.groups.max-requests), and none is old enough to"
            + " be forgotten; retry later, or commit without a request_id");
  }

  /** Adds a request whose answer is not on disk yet. */
  void addPending(RequestKey key, long nowMs, long fingerprint, long position, CommitReply reply) {
    put(key, new Entry(nowMs, fingerprint, position, reply));
  }

  /** Adds a request that was found in the log. */
  void addStored(RequestKey key, long answeredMs, long position, long nowMs) {
    if (nowMs - answeredMs < windowMs) {
      put(key, new Entry(answeredMs, 0, position, null));
    }
  }

  private void put(RequestKey key, Entry entry) {
    if (byAge.put(key, entry) == null) {
      room.taken.incrementAndGet();
    }
  }

  /** Says that the answer is on disk. */
  void store(RequestKey key) {
    Entry entry = byAge.get(key);
    if (entry != null) {
      entry.pending = null;
    }
  }

  /** Says that the request came to nothing. */
  void remove(RequestKey key) {
    if (byAge.remove(key) != null) {
      room.taken.decrementAndGet();
    }
  }

  void forgetOld(long nowMs) {
    Iterator<Entry> oldest = byAge.values().iterator();
    while (oldest.hasNext()) {
      Entry entry = oldest.next();
      // One from before the clock stepped back must not keep those behind it for longer.
      entry.answeredMs = Math.min(entry.answeredMs, nowMs);
      if (entry.pending != null || nowMs - entry.answeredMs < windowMs) {
        return;
      }
      oldest.remove();
      room.taken.decrementAndGet();
    }
  }
}
