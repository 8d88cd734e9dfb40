package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.OffsetResolution;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TimeWindow;
import io.whence.model.WindowResolution;
import io.whence.resolve.LogResolver;
import io.whence.resolve.PositionAnswer;

/** The resolver of logs, as the services ask it. Thread safety: thread-safe. */
public final class LogLookups implements PartitionResolver {
  private final LogResolver resolver = new LogResolver();

  @Override
  public boolean resolveFromMemory(
      LogSnapshot log, Position position, IsolationLevel isolation, PositionAnswer answer) {
    return resolver.resolveFromMemory(log, position, isolation, answer);
  }

  @Override
  public Resolution resolveFromLog(
      LogSnapshot log, Position position, IsolationLevel isolation, Cancellation cancellation) {
    return resolver.resolveFromLog(log, position, isolation, cancellation);
  }

  @Override
  public WindowResolution resolveWindow(
      LogSnapshot log, TimeWindow window, IsolationLevel isolation, Cancellation cancellation) {
    return resolver.resolveWindow(log, window, isolation, cancellation);
  }

  @Override
  public OffsetResolution resolveOffset(
      LogSnapshot log, long offset, IsolationLevel isolation, Cancellation cancellation) {
    return resolver.resolveOffset(log, offset, isolation, cancellation);
  }
}
