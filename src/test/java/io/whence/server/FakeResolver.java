package io.whence.server;

import io.whence.grpc.PartitionResolver;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.OffsetRange;
import io.whence.model.OffsetResolution;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Scans logs in memory. Lookups in topic "gate" wait for the gate to open. */
@Alternative
@Singleton
class FakeResolver implements PartitionResolver {
  /** Lookups in it wait. */
  static final String GATE = "gate";

  final Gate gate = new Gate();
  final AtomicInteger waiting = new AtomicInteger();
  final AtomicInteger stopped = new AtomicInteger();

  @Override
  public Resolution resolve(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation) {
    FakeLog fake = (FakeLog) log;
    if (fake.partition().topic().equals(GATE)) {
      await(cancellation);
    }
    List<RecordStamp> stamps = fake.records().stream().map(record -> record.stamp()).toList();
    LogBounds bounds = log.bounds(isolation);
    if (position instanceof Position.Latest) {
      return new Resolution(
          Outcome.FOUND, bounds.endOffset(), null, 0, bounds, false, Origin.MEMORY);
    }
    RecordStamp found = find(stamps, position);
    if (found != null) {
      return new Resolution(
          Outcome.FOUND, found.offset(), found, found.offset(), bounds, false, Origin.LOG_SCAN);
    }
    Outcome outcome =
        stamps.isEmpty()
            ? Outcome.EMPTY
            : position instanceof Position.AtOrBefore ? Outcome.BEFORE_START : Outcome.AFTER_END;
    return new Resolution(outcome, 0, null, bounds.endOffset(), bounds, false, Origin.MEMORY);
  }

  private void await(Cancellation cancellation) {
    waiting.incrementAndGet();
    try {
      while (!gate.isOpen(5)) {
        cancellation.check();
      }
    } catch (RuntimeException e) {
      stopped.incrementAndGet();
      throw e;
    } finally {
      waiting.decrementAndGet();
    }
  }

  private static @Nullable RecordStamp find(List<RecordStamp> stamps, Position position) {
    RecordStamp found = null;
    for (RecordStamp stamp : stamps) {
      if (position instanceof Position.Earliest) {
        return stamp;
      }
      if (position instanceof Position.AtOrAfter after
          && stamp.timestampMs() >= after.targetTimestampMs()) {
        return stamp;
      }
      if (position instanceof Position.AllAfter after) {
        boolean in = stamp.timestampMs() >= after.targetTimestampMs();
        found = in ? (found == null ? stamp : found) : null;
      }
      if (position instanceof Position.AtOrBefore before
          && stamp.timestampMs() <= before.targetTimestampMs()) {
        found = stamp;
      }
      if (position instanceof Position.MaxTimestamp
          && (found == null || stamp.timestampMs() > found.timestampMs())) {
        found = stamp;
      }
    }
    return found;
  }

  @Override
  public WindowResolution resolveWindow(
      LogSnapshot log, TimeWindow window, IsolationLevel isolation, Cancellation cancellation) {
    LogBounds bounds = log.bounds(isolation);
    List<RecordStamp> in =
        ((FakeLog) log)
            .records().stream()
                .map(record -> record.stamp())
                .filter(stamp -> window.contains(stamp.timestampMs()))
                .toList();
    if (in.isEmpty()) {
      return new WindowResolution(
          Outcome.NONE_IN_WINDOW, null, 0, 0, null, null, bounds, false, Origin.MEMORY);
    }
    RecordStamp first = in.get(0);
    RecordStamp last = in.get(in.size() - 1);
    long count = last.offset() + 1 - first.offset();
    return new WindowResolution(
        Outcome.FOUND,
        new OffsetRange(first.offset(), last.offset() + 1),
        count,
        count - in.size(),
        first,
        last,
        bounds,
        false,
        Origin.LOG_SCAN);
  }

  @Override
  public OffsetResolution resolveOffset(
      LogSnapshot log, long offset, IsolationLevel isolation, Cancellation cancellation) {
    LogBounds bounds = log.bounds(isolation);
    for (var record : ((FakeLog) log).records()) {
      if (record.stamp().offset() >= offset) {
        return new OffsetResolution(
            Outcome.FOUND,
            record.stamp().offset() == offset,
            record.stamp(),
            bounds,
            offset < bounds.logStartOffset(),
            Origin.LOG_SCAN);
      }
    }
    return new OffsetResolution(Outcome.AFTER_END, false, null, bounds, false, Origin.MEMORY);
  }

  /** Opens and closes. Thread safety: thread-safe. */
  static final class Gate {
    private boolean open;

    synchronized void open() {
      open = true;
      notifyAll();
    }

    synchronized void close() {
      open = false;
    }

    synchronized boolean isOpen(long patienceMs) {
      if (!open) {
        try {
          TimeUnit.MILLISECONDS.timedWait(this, patienceMs);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException(e);
        }
      }
      return open;
    }
  }
}
