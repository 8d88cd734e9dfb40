package io.whence.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The WatchTimestamp calls of the server: admits as many as there may be, sees to what is due, and
 * ends them when the server stops. A watch that has ended leaves nothing behind. Thread safety:
 * thread-safe.
 */
public final class Watches {
  private static final String RPC = "WatchTimestamp";

  /** Watches end seldom: who is turned away should not come back at once. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Executor workers;
  private final PartitionResolver resolver;
  private final InstantSource clock;
  private final CallLimits callLimits;
  private final WatchLimits limits;
  private final CatalogAccess access;
  private final CallListener listener;
  private final Set<TimestampWatch> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger partitions = new AtomicInteger();
  private volatile boolean draining;

  /** Makes a server's watches, of which there are none. */
  public Watches(
      Executor workers,
      PartitionResolver resolver,
      InstantSource clock,
      CallLimits callLimits,
      WatchLimits limits,
      CatalogAccess access,
      CallListener listener) {
    this.workers = workers;
    this.resolver = resolver;
    this.clock = clock;
    this.callLimits = callLimits;
    this.limits = limits;
    this.access = access;
    this.listener = listener;
  }

  /** Begins a call, on the event loop, inside the method of the service. */
  void begin(WatchTimestampRequest request, StreamObserver<WatchTimestampResponse> observer) {
    ServerCallStreamObserver<WatchTimestampResponse> call =
        (ServerCallStreamObserver<WatchTimestampResponse>) observer;
    CallScope scope;
    try {
      scope = scope();
    } catch (RuntimeException e) {
      call.onError(Reply.status(RPC, e, listener));
      return;
    }
    TimestampWatch watch = new TimestampWatch(request, new WatchEvents(call, clock), this, scope);
    call.setOnCancelHandler(watch::cancelled);
    call.setOnReadyHandler(watch::ready);
    open.add(watch);
    int ofConnection = scope.caller().connection().watches().incrementAndGet();
    if (draining) {
      watch.fail(draining());
    } else if (ofConnection > limits.watchesPerConnection()) {
      listener.onOverload(RPC);
      watch.fail(connectionIsFull(limits.watchesPerConnection() + " watches"));
    } else if (open.size() > limits.watches() || !watch.begin()) {
      listener.onOverload(RPC);
      watch.fail(Overload.refusal("there are more watches than this server takes", RETRY_NANOS));
    }
  }

  private CallScope scope() {
    Caller caller = Caller.ofCurrentCall();
    return new CallScope(
        RPC,
        clock.millis(),
        caller,
        access.sources(),
        CallCancellation.ofCurrentWatch(),
        callLimits,
        caller.trace().heard(listener));
  }

  /** Takes partitions, or fails with {@code OVERLOADED}. */
  void takePartitions(int more, Connection connection) {
    if (connection.watchedPartitions().addAndGet(more) > limits.partitionsPerConnection()) {
      connection.watchedPartitions().addAndGet(-more);
      listener.onOverload(RPC);
      throw connectionIsFull(limits.partitionsPerConnection() + " watched partitions");
    }
    if (partitions.addAndGet(more) > limits.partitions()) {
      partitions.addAndGet(-more);
      connection.watchedPartitions().addAndGet(-more);
      listener.onOverload(RPC);
      throw Overload.refusal("more partitions are watched than this server takes", RETRY_NANOS);
    }
  }

  /** Gives back what was taken. */
  void givePartitionsBack(int fewer, Connection connection) {
    partitions.addAndGet(-fewer);
    connection.watchedPartitions().addAndGet(-fewer);
  }

  private static WhenceException connectionIsFull(String most) {
    return Overload.refusal(
        "a connection may have " + most + " of those that this server takes, and not more",
        RETRY_NANOS);
  }

  /** Forgets a watch that has ended. */
  void remove(TimestampWatch watch, Connection connection) {
    if (open.remove(watch)) {
      connection.watches().decrementAndGet();
    }
  }

  Executor workers() {
    return workers;
  }

  PartitionResolver resolver() {
    return resolver;
  }

  InstantSource clock() {
    return clock;
  }

  WatchLimits limits() {
    return limits;
  }

  /**
   * Sees to what is due: progress, clients that don't read. One thread calls it, some times a
   * second.
   *
   * @param nowNanos a clock that only rises, in nanoseconds
   */
  public void tick(long nowNanos) {
    open.forEach(watch -> watch.tick(nowNanos));
  }

  /** Ends all watches, and refuses new ones: the server stops. */
  public void drain() {
    draining = true;
    open.forEach(watch -> watch.fail(draining()));
  }

  /** Returns how many watches there are. */
  public int watchCount() {
    return open.size();
  }

  /** Returns how many partitions they watch, together. */
  public int partitionCount() {
    return partitions.get();
  }

  private static WhenceException draining() {
    return WhenceException.of(
        ErrorReason.DRAINING, "the server stops; watch again, on another one or after its start");
  }
}
