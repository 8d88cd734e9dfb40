package io.whence.grpc;

import io.grpc.Context;
import io.grpc.Deadline;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Stops the work of a call when its client left or its deadline passed. Made on the event loop,
 * where the call's context is current. Thread safety: immutable.
 */
final class CallCancellation implements Cancellation {
  /** Longer than any connection. */
  private static final Duration NEVER = Duration.ofDays(36_500);

  private final Context context;
  private final Deadline deadline;

  private CallCancellation(Context context, Deadline deadline) {
    this.context = context;
    this.deadline = deadline;
  }

  /** Captures the current call; a call without a deadline gets the default. */
  static CallCancellation ofCurrentCall(Duration defaultDeadline) {
    Context context = Context.current();
    Deadline own = context.getDeadline();
    return new CallCancellation(context, own != null ? own : after(defaultDeadline));
  }

  /**
   * Returns what stops the work of one request of a stream: the end of the stream, or a deadline of
   * its own.
   *
   * @param stream the context of the stream's call
   */
  static CallCancellation ofStreamedRequest(Context stream, Duration patience) {
    Deadline own = stream.getDeadline();
    Deadline last = after(patience);
    return new CallCancellation(stream, own != null ? own.minimum(last) : last);
  }

  private static Deadline after(Duration patience) {
    return Deadline.after(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Captures the current call; one without a deadline may go on as long as its connection. */
  static CallCancellation ofCurrentWatch() {
    return ofCurrentCall(NEVER);
  }

  @Override
  public void check() {
    if (deadline.isExpired()) {
      throw deadlinePassed();
    }
    if (context.isCancelled()) {
      throw WhenceException.of(ErrorReason.DEADLINE_EXCEEDED, "the client gave the call up");
    }
  }

  /** Returns what a call is told whose deadline passed. */
  static WhenceException deadlinePassed() {
    return WhenceException.of(
        ErrorReason.DEADLINE_EXCEEDED, "the deadline passed before the work was done");
  }

  /**
   * Runs something when the client gives the call up or the deadline passes that it set, or now if
   * that has happened.
   *
   * @return takes that back; to be run when the work ends
   */
  Runnable whenGivenUp(Runnable action, Executor executor) {
    Context.CancellationListener listener = cancelled -> action.run();
    context.addListener(listener, executor);
    return () -> context.removeListener(listener);
  }

  /** Returns how much time is left; none or less once the deadline passed. */
  Duration remaining() {
    return Duration.ofNanos(remainingNanos());
  }

  @Override
  public long remainingNanos() {
    return deadline.timeRemaining(TimeUnit.NANOSECONDS);
  }
}
