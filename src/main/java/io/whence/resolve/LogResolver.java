package io.whence.resolve;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;

/**
 * Answers questions about one snapshot of a log. Every answer equals the one of a brute-force scan
 * of the visible records (I5), or fails with a {@link io.whence.model.WhenceException}: {@code
 * DAMAGED_LOG}, {@code STORAGE_ERROR}, or {@code DEADLINE_EXCEEDED} from the cancellation. Reads
 * files; not for an event loop. Thread safety: thread-safe.
 */
public final class LogResolver {
  /** Answers which offset a position stands for. */
  public Resolution resolve(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation) {
    return new PositionResolver(new RecordSearch(log, isolation, cancellation)).resolve(position);
  }

  /** Answers which offsets hold the records of a window. */
  public WindowResolution resolveWindow(
      LogSnapshot log, TimeWindow window, IsolationLevel isolation, Cancellation cancellation) {
    return new WindowResolver(new RecordSearch(log, isolation, cancellation), window).resolve();
  }

  /**
   * Answers which record lies at an offset, or next after it.
   *
   * @param offset 0 or above
   */
  public OffsetResolution resolveOffset(
      LogSnapshot log, long offset, IsolationLevel isolation, Cancellation cancellation) {
    return new OffsetResolver(new RecordSearch(log, isolation, cancellation)).resolve(offset);
  }
}
