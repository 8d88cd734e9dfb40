package io.whence.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.StreamResolveTimestampRequest;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The StreamResolveTimestamp calls of the server: begins them, and ends them when the server stops.
 * Thread safety: thread-safe.
 */
public final class TimestampStreams {
  private final CallRunner runner;
  private final PartitionResolver resolver;
  private final Duration stall;
  private final Workspaces workspaces = new Workspaces();
  private final Set<TimestampStream> open = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  /**
   * Makes a server's streams, of which there are none.
   *
   * @param stall how long a client may leave answers unread, above 0
   */
  public TimestampStreams(CallRunner runner, PartitionResolver resolver, Duration stall) {
    if (stall.isNegative() || stall.isZero()) {
      throw new IllegalArgumentException("the limit of a stall must be positive");
    }
    this.runner = runner;
    this.resolver = resolver;
    this.stall = stall;
  }

  /** Begins a call, on the event loop, inside the method of the service. */
  StreamObserver<StreamResolveTimestampRequest> begin(StreamObserver<EncodedMessage> observer) {
    TimestampStream stream =
        new TimestampStream(this, (ServerCallStreamObserver<EncodedMessage>) observer);
    open.add(stream);
    stream.begin();
    if (draining) {
      stream.drain();
    }
    return stream;
  }

  /** Ends all streams, each after the request that is in work; refuses new ones. */
  public void drain() {
    draining = true;
    open.forEach(TimestampStream::drain);
  }

  /** Returns how many streams there are. */
  public int openCount() {
    return open.size();
  }

  /** Forgets a stream that has ended. */
  void remove(TimestampStream stream) {
    open.remove(stream);
  }

  /** Begins to answer a request, or refuses it. */
  TimestampCall call(StreamResolveTimestampRequest message, CallScope scope) {
    if (!message.hasRequest()) {
      throw BadRequests.missing(FieldPath.of("request"), "give the request");
    }
    return new TimestampCall(resolver, message.getRequest(), scope, workspaces);
  }

  CallRunner runner() {
    return runner;
  }

  /** Returns what ends a stream whose client doesn't read. */
  WhenceException stalled() {
    return WhenceException.of(
        ErrorReason.OVERLOADED,
        "answers were not read for " + stall.toSeconds() + " s; read them while sending");
  }

  Duration stall() {
    return stall;
  }
}
