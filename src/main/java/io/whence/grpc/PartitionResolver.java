package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import io.whence.resolve.PositionAnswer;

/** What the services need of a resolver. Thread safety: implementations are thread-safe. */
public interface PartitionResolver {
  /**
   * Answers which offset a position stands for, if that takes no file. Never waits, so an event
   * loop may call it.
   *
   * @param answer gets the answer; what is in it afterwards has no meaning if there is none
   * @return whether there is an answer; if not, {@link #resolveFromLog} has it
   */
  boolean resolveFromMemory(
      LogSnapshot log, Position position, IsolationLevel isolation, PositionAnswer answer);

  /** Answers which offset a position stands for, where memory has no answer. Reads files. */
  Resolution resolveFromLog(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation);

  /** Answers which offsets hold the records of a window. */
  WindowResolution resolveWindow(
      LogSnapshot log, TimeWindow window, IsolationLevel isolation, Cancellation cancellation);

  /** Answers which record lies at an offset, or next after it. */
  OffsetResolution resolveOffset(
      LogSnapshot log, long offset, IsolationLevel isolation, Cancellation cancellation);
}
