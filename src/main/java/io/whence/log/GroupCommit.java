package io.whence.log;

import io.whence.model.OffsetRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The appends of a log that are written and wait for the disk. All that wait share the next flush.
 * Invariant: an append succeeds only by a flush that began after its write, with no failure of the
 * disk since its write (I2). Thread safety: single-writer; the lock of the log guards it, and what
 * {@link #takeSettled} returns runs outside of it.
 */
final class GroupCommit {
  private List<Waiting> waiting = new ArrayList<>();
  private List<Waiting> flushing = new ArrayList<>();
  private final List<Runnable> settled = new ArrayList<>();
  private boolean running;

  /** How often the disk refused to say that something is on it. */
  private int failures;

  private record Waiting(OffsetRange range, CompletableFuture<OffsetRange> done) {}

  /**
   * What a flush is to put on disk.
   *
   * @param view what will be on disk then
   * @param failures how often the disk had failed when it began
   */
  record Flush(SegmentView view, int failures) {}

  /** Adds an append that is written. Returns whether somebody has to begin to flush. */
  boolean add(OffsetRange range, CompletableFuture<OffsetRange> done) {
    waiting.add(new Waiting(range, done));
    boolean first = !running;
    running = true;
    return first;
  }

  boolean isRunning() {
    return running;
  }

  /** Returns whether the next flush has something to do; if not, flushing ends here. */
  boolean goesOn() {
    running = !waiting.isEmpty();
    return running;
  }

  /** Begins a flush for all that wait; nothing if a failure told them all meanwhile. */
  Optional<Flush> begin(SegmentView view) {
    if (waiting.isEmpty()) {
      return Optional.empty();
    }
    flushing = waiting;
    waiting = new ArrayList<>();
    return Optional.of(new Flush(view, failures));
  }

  /** Returns whether the success of a flush counts: the disk has not failed since it began. */
  boolean isValid(Flush flush) {
    return flush.failures() == failures;
  }

  /** Ends a flush that succeeded. Returns how many appends it was for. */
  int succeed() {
    int count = flushing.size();
    flushing.forEach(append -> settled.add(() -> append.done().complete(append.range())));
    flushing = new ArrayList<>();
    return count;
  }

  /**
   * Fails everything that waits or is being flushed, and voids the flush that is under way.
   *
   * @param highWatermark what is below is on disk all the same
   */
  void fail(RuntimeException failure, long highWatermark) {
    failures++;
    flushing.addAll(waiting);
    waiting = new ArrayList<>();
    for (Waiting append : flushing) {
      boolean durable = append.range().endOffset() <= highWatermark;
      settled.add(
          durable
              ? () -> append.done().complete(append.range())
              : () -> append.done().completeExceptionally(failure));
    }
    flushing = new ArrayList<>();
  }

  /** Returns what tells those whose fate is decided. */
  List<Runnable> takeSettled() {
    List<Runnable> taken = List.copyOf(settled);
    settled.clear();
    return taken;
  }
}
