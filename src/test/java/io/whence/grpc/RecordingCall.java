package io.whence.grpc;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The server's end of a call whose client takes as much as it is told to. Thread safety:
 * thread-safe.
 */
final class RecordingCall<R> extends ServerCallStreamObserver<R> {
  private final List<R> messages = new ArrayList<>();
  private Runnable onCancel = () -> {};
  private Runnable onClose = () -> {};
  private Runnable onReady = () -> {};
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

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public void setOnCloseHandler(Runnable handler) {
    onClose = handler;
  }

  @Override
  public void setOnCancelHandler(Runnable handler) {
    onCancel = handler;
  }

  @Override
  public void setOnReadyHandler(Runnable handler) {
    onReady = handler;
  }

  @Override
  public void setCompression(String compression) {}

  @Override
  public void request(int count) {}

  @Override
  public void setMessageCompression(boolean enable) {}

  @Override
  public void disableAutoInboundFlowControl() {}
}
