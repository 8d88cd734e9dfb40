package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.OffsetResolution;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.TimestampType;
import io.whence.model.WindowResolution;
import io.whence.resolve.PositionAnswer;
import java.util.HashSet;
import java.util.Set;

/**
 * Answers from memory but for the logs that it was told of, and counts. Thread safety:
 * single-writer.
 */
final class CountingResolver implements PartitionResolver {
  static final Resolution MEMORY = found(Origin.MEMORY);
  static final Resolution FILE = found(Origin.LOG_SCAN);

  private final Set<LogSnapshot> onDisk = new HashSet<>();
  private Runnable beforeMemory = () -> {};
  int fromMemory;
  int fromFiles;

  /** Has a log answered from files. */
  void putOnDisk(LogSnapshot log) {
    onDisk.add(log);
  }

  /** Runs something before each answer from memory. */
  void beforeMemory(Runnable action) {
    beforeMemory = action;
  }

  @Override
  public Resolution resolveFromLog(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation) {
    fromFiles++;
    return FILE;
  }

  @Override
  public boolean resolveFromMemory(
      LogSnapshot log, Position position, IsolationLevel isolation, PositionAnswer answer) {
    if (!onDisk.isEmpty() && onDisk.contains(log)) {
      return false;
    }
    beforeMemory.run();
    fromMemory++;
    answer.set(MEMORY);
    return true;
  }

  @Override
  public WindowResolution resolveWindow(
      LogSnapshot log, TimeWindow window, IsolationLevel isolation, Cancellation cancellation) {
    throw new UnsupportedOperationException("no test asks for windows");
  }

  @Override
  public OffsetResolution resolveOffset(
      LogSnapshot log, long offset, IsolationLevel isolation, Cancellation cancellation) {
    throw new UnsupportedOperationException("no test asks for offsets");
  }

  private static Resolution found(Origin origin) {
    return new Resolution(
        Outcome.FOUND,
        41,
        new RecordStamp(41, 1_700_000_000_000L, TimestampType.CREATE_TIME, 3),
        0,
        new LogBounds(0, 1_000_000),
        false,
        origin);
  }
}
