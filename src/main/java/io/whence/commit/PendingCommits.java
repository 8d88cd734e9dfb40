package io.whence.commit;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What is written to one partition of the offsets topic and not yet known to be on disk, in order.
 * Guards look at this first: a commit follows the one before it, durable or not, and shares its
 * fate. Thread safety: single-writer; the lock of the partition guards it.
 */
final class PendingCommits {
  /** A disk that stands still must not fill the memory. */
  private static final int MAX_RECORDS = 500_000;

  private final Deque<Batch> batches = new ArrayDeque<>();

  /** The latest state of each group that a batch changes. */
  private final Map<String, Group> latest = new HashMap<>();

  private long nextOffset;

  /**
   * One batch.
   *
   * @param baseOffset the offset of its first record
   * @param endOffset the end of its records, exclusive
   * @param after the groups that it changes, as they are then
   * @param request the request that it answers; null for none
   * @param durable completes when it is on disk and published
   */
  record Batch(
      long baseOffset,
      long endOffset,
      List<Group> after,
      @Nullable RequestKey request,
      CompletableFuture<Void> durable) {}

  /** Begins behind everything that is on disk. */
  PendingCommits(long nextOffset) {
    this.nextOffset = nextOffset;
  }

  /** Returns where the next record goes, if the disk refuses nothing. */
  long nextOffset() {
    return nextOffset;
  }

  /** Returns a group if a batch changes it. */
  Optional<Group> find(String group) {
    return Optional.ofNullable(latest.get(group));
  }

  /** Fails with {@code OVERLOADED} if too much waits for the disk. */
  void requireRoom() {
    Batch first = batches.peekFirst();
    if (first != null && nextOffset - first.baseOffset() > MAX_RECORDS) {
      throw WhenceException.of(
          ErrorReason.OVERLOADED,
          "more than " + MAX_RECORDS + " commits wait for the disk; retry after a pause");
    }
  }

  /** Adds a batch of so many records. */
  Batch add(int recordCount, List<Group> after, @Nullable RequestKey request) {
    Batch batch =
        new Batch(nextOffset, nextOffset + recordCount, after, request, new CompletableFuture<>());
    batches.add(batch);
    nextOffset = batch.endOffset();
    after.forEach(group -> latest.put(group.name(), group));
    return batch;
  }

  /** Returns what completes when everything that is written so far is on disk. */
  CompletableFuture<Void> tail() {
    Batch last = batches.peekLast();
    return last == null ? CompletableFuture.completedFuture(null) : last.durable();
  }

  /** Takes out what is on disk now, in order. */
  @SuppressWarnings(
      "ReferenceEquality") // Another batch may have changed the group to equal values.
  List<Batch> takeDurable(long endOffset) {
    List<Batch> taken = new ArrayList<>();
    while (!batches.isEmpty() && batches.peekFirst().endOffset() <= endOffset) {
      Batch batch = batches.removeFirst();
      taken.add(batch);
      for (Group group : batch.after()) {
        if (latest.get(group.name()) == group) {
          latest.remove(group.name());
        }
      }
    }
    return taken;
  }

  /**
   * Takes out what the disk refused, and all that was written after it. Nothing if that was done
   * before, with one that came earlier: what has its offset now is another one.
   *
   * @param durableEnd the end of what is on disk
   */
  List<Batch> takeFailed(Batch failed, long durableEnd) {
    List<Batch> taken = new ArrayList<>();
    if (!batches.contains(failed)) {
      return taken;
    }
    for (Iterator<Batch> all = batches.iterator(); all.hasNext(); ) {
      Batch batch = all.next();
      if (batch.baseOffset() >= failed.baseOffset()) {
        all.remove();
        taken.add(batch);
      }
    }
    latest.clear();
    batches.forEach(batch -> batch.after().forEach(group -> latest.put(group.name(), group)));
    nextOffset = batches.isEmpty() ? durableEnd : batches.peekLast().endOffset();
    return taken;
  }
}
