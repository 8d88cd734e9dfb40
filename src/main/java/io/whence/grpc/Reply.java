package io.whence.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;

/**
 * The answer of one unary call. Given once: whatever comes after the first is dropped. Thread
 * safety: thread-safe.
 */
final class Reply<R> {
  private static final Logger LOG = Logger.getLogger(Reply.class);

  private final String rpc;
  private final ServerCallStreamObserver<R> call;
  private final CallListener listener;
  private final Runnable onClosed;
  private final UnreadAnswers unread;
  private final AtomicLong unreadBytes = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Makes a reply, on the event loop, inside the method of the service. */
  Reply(
      String rpc,
      ServerCallStreamObserver<R> call,
      CallListener listener,
      UnreadAnswers unread,
      Runnable onClosed) {
    this.rpc = rpc;
    this.call = call;
    this.listener = listener;
    this.unread = unread;
    this.onClosed = onClosed;
    // With a handler set, answering a cancelled call is a no-op; without one, it throws.
    call.setOnCancelHandler(this::taken);
    call.setOnCloseHandler(this::taken);
  }

  /** The client has all of the answer, or wants it no longer. */
  private void taken() {
    unread.add(-unreadBytes.getAndSet(0));
  }

  private void send(R answer) {
    long bytes =
        answer instanceof EncodedMessage encoded
            ? encoded.length()
            : answer instanceof MessageLite message ? message.getSerializedSize() : 0;
    unreadBytes.set(bytes);
    unread.add(bytes);
    call.onNext(answer);
    call.onCompleted();
    if (call.isCancelled()) {
      taken(); // Before it was counted, perhaps.
    }
  }

  /** Runs work and answers with its failure, if it fails. */
  void guard(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      fail(e);
    } catch (Error e) {
      fail(e);
      throw e;
    }
  }

  /** Answers. */
  void answer(R answer) {
    if (closed.compareAndSet(false, true)) {
      onClosed.run();
      if (call.isCancelled()) {
        listener.onAbandoned(rpc);
      } else {
        send(answer);
      }
    }
  }

  /** Fails the whole call. */
  void fail(Throwable failure) {
    if (closed.compareAndSet(false, true)) {
      onClosed.run();
      call.onError(status(rpc, failure, listener));
    }
  }

  /** Returns what the client of a call that failed is told; tells the listener. */
  static StatusRuntimeException status(String rpc, Throwable failure, CallListener listener) {
    return GrpcErrors.status(known(rpc, failure, listener));
  }

  /** Returns a failure as clients may know it; tells the listener. */
  static WhenceException known(String rpc, Throwable failure, CallListener listener) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof WhenceException known) {
      if (known.reason() == ErrorReason.DEADLINE_EXCEEDED) {
        listener.onAbandoned(rpc);
      }
      return known;
    }
    if (cause instanceof TimeoutException) {
      listener.onAbandoned(rpc);
      return WhenceException.of(
          ErrorReason.DEADLINE_EXCEEDED, "the deadline passed before the work was done");
    }
    listener.onFault(rpc);
    LOG.errorf(cause, "call failed: rpc=%s", rpc);
    return GrpcErrors.internal();
  }
}
