package io.whence.grpc;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The server's end of a call whose client takes as much as it is told to. Thread safety:
 * thread-safe.
 */
final class RecordingCall<R> extends FakeCall<R> {
  private final List<R> messages = new ArrayList<>();
  private int room = Integer.MAX_VALUE;
  private boolean completed;
  private Throwable failure;

  /** Returns what was sent. */
  synchronized List<R> messages() {
    return List.copyOf(messages);
  }

  synchronized boolean isCompleted() {
    return completed;
  }

  /** Returns what the call failed with. */
  synchronized Optional<StatusRuntimeException> failure() {
    return Optional.ofNullable((StatusRuntimeException) failure);
  }

  synchronized Optional<Status.Code> failureCode() {
    return failure().map(status -> status.getStatus().getCode());
  }

  /** Lets the client take so many more messages, and says so. */
  void take(int more) {
    synchronized (this) {
      room = more;
    }
    onReady.run();
  }

  /** The client has taken all. */
  void close() {
    onClose.run();
  }

  /** The client leaves. */
  void cancel() {
    onCancel.run();
  }

  @Override
  public synchronized void onNext(R message) {
    messages.add(message);
    room--;
  }

  @Override
  public synchronized void onError(Throwable thrown) {
    failure = thrown;
  }

  @Override
  public synchronized void onCompleted() {
    completed = true;
  }

  @Override
  public synchronized boolean isReady() {
    return room > 0;
  }
}
