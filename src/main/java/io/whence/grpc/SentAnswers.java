package io.whence.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The answers of one stream that its client has not read. gRPC says of a stream only whether it has
 * little to send: so they count as unread from the time when it has more until it has less again,
 * or the call is over. As long as they do, time runs for the client. Thread safety: {@link #closed}
 * is thread-safe, all else is of the event loop of the stream alone.
 */
final class SentAnswers {
  private final ServerCallStreamObserver<?> client;
  private final UnreadAnswers unread;
  private final EventLoop loop;
  private final Duration stall;
  private final Runnable onStall;

  private final AtomicLong unreadBytes = new AtomicLong();
  private volatile boolean closed;
  private long newBytes;
  private @Nullable Runnable timer;

  /**
   * Begins with none.
   *
   * @param unread counts those of the connection
   * @param stall for how long the client may leave answers unread
   * @param onStall is run on the loop when it did
   */
  SentAnswers(
      ServerCallStreamObserver<?> client,
      UnreadAnswers unread,
      EventLoop loop,
      Duration stall,
      Runnable onStall) {
    this.client = client;
    this.unread = unread;
    this.loop = loop;
    this.stall = stall;
    this.onStall = onStall;
  }

  /** Takes note of an answer that was sent; {@link #areRead} or {@link #end} is asked after it. */
  void sent(int bytes) {
    newBytes += bytes;
  }

  /** Returns whether the client has read the answers, so that there may be more. */
  boolean areRead() {
    if (client.isReady()) {
      newBytes = 0;
      takeBack();
      stopTimer();
      return true;
    }
    if (newBytes > 0) {
      count();
      startTimer();
    }
    return false;
  }

  /** Lets time run for the client, until it has read. */
  void startTimer() {
    if (timer == null) {
      timer = loop.schedule(this::stalled, stall);
    }
  }

  private void stalled() {
    timer = null;
    if (!areRead()) {
      stopTimer(); // Nothing is sent from here on.
      onStall.run();
    }
  }

  /** There will be no more; what is unread stays so until the call is over for gRPC too. */
  void end() {
    count();
    stopTimer();
  }

  /** The call is over for gRPC: the client has everything, or wants nothing. */
  void closed() {
    closed = true;
    takeBack();
  }

  private void count() {
    unreadBytes.addAndGet(newBytes);
    unread.add(newBytes);
    newBytes = 0;
    if (closed) {
      takeBack();
    }
  }

  private void takeBack() {
    if (unreadBytes.get() > 0) {
      unread.add(-unreadBytes.getAndSet(0));
    }
  }

  private void stopTimer() {
    Runnable running = timer;
    if (running != null) {
      running.run();
      timer = null;
    }
  }
}
