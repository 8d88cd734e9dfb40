package io.whence.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Moves calls from the event loop to the workers and their answers back. Every admitted call is
 * answered once, or was given up by its client; calls that find the server full are turned away at
 * once. Thread safety: thread-safe.
 */
public final class CallRunner {
  /** A smaller answer takes less time to send than to hand over to another thread. */
  private static final int MAX_RESULTS_SENT_AT_ONCE = 64;

  private final CallThreads threads;
  private final Executor workers;
  private final TurnRunner turns;
  private final InstantSource clock;
  private final CallLimits limits;
  private final CatalogAccess access;
  private final CallListener listener;
  private final AtomicInteger inFlight = new AtomicInteger();

  /** Makes a runner. */
  public CallRunner(
      CallThreads threads,
      InstantSource clock,
      CallLimits limits,
      CatalogAccess access,
      CallListener listener) {
    this.threads = threads;
    this.workers = threads.workers();
    this.turns = new TurnRunner(threads);
    this.clock = clock;
    this.limits = limits;
    this.access = access;
    this.listener = listener;
  }

  /** Returns how many calls are waiting or in work. */
  public int callsInFlight() {
    return inFlight.get();
  }

  /** Runs a call whose work ends on the worker. */
  <Q, R> void run(String rpc, Q request, StreamObserver<R> observer, Work<Q, R> work) {
    runAsync(
        rpc,
        request,
        observer,
        (asked, scope) -> CompletableFuture.completedFuture(work.answer(asked, scope)),
        answer -> 1);
  }

  /**
   * Runs a call whose work may end later, on another thread, without holding a worker.
   *
   * @param results how many results an answer has: one of many is sent by a worker, as the thread
   *     that ends the work has other calls and logs waiting
   */
  <Q, R> void runAsync(
      String rpc,
      Q request,
      StreamObserver<R> observer,
      Work<Q, CompletionStage<R>> work,
      ToIntFunction<R> results) {
    Reply<R> reply = reply(rpc, observer);
    if (inFlight.incrementAndGet() > limits.callsInFlight()) {
      overloaded(rpc, reply);
      return;
    }
    CallCancellation cancellation = CallCancellation.ofCurrentCall(limits.defaultDeadline());
    Caller caller = Caller.ofCurrentCall();
    long serverTimeMs = clock.millis();
    try {
      workers.execute(
          () ->
              reply.guard(
                  () -> {
                    cancellation.check();
                    CallScope scope = scope(rpc, serverTimeMs, caller, cancellation);
                    whenDone(work.answer(request, scope), cancellation, reply, results);
                  }));
    } catch (RejectedExecutionException e) {
      overloaded(rpc, reply);
    }
  }

  /**
   * Runs a call in turns, beginning on the event loop that calls this.
   *
   * @param begin begins the call, or refuses it
   */
  <R> void runInTurns(
      String rpc, StreamObserver<R> observer, Function<CallScope, TurnCall<R>> begin) {
    Reply<R> reply = reply(rpc, observer);
    if (inFlight.incrementAndGet() > limits.callsInFlight()) {
      overloaded(rpc, reply);
      return;
    }
    reply.guard(
        () -> {
          CallCancellation cancellation = CallCancellation.ofCurrentCall(limits.defaultDeadline());
          TurnCall<R> call =
              begin.apply(scope(rpc, clock.millis(), Caller.ofCurrentCall(), cancellation));
          turns.run(call, turns.slice(), new UnaryDone<>(rpc, call, reply));
        });
  }

  /**
   * Lets a request of a stream in, which counts as a call until {@link #leave}.
   *
   * @return whether there is room for it
   */
  boolean enter() {
    boolean hasRoom = inFlight.incrementAndGet() <= limits.callsInFlight();
    if (!hasRoom) {
      leave();
    }
    return hasRoom;
  }

  /** Takes note of the end of a request that was let in. */
  void leave() {
    inFlight.decrementAndGet();
  }

  /** Returns what calls run on. */
  CallThreads threads() {
    return threads;
  }

  /** Returns what does work in turns. */
  TurnRunner turns() {
    return turns;
  }

  /** Returns the clock. */
  InstantSource clock() {
    return clock;
  }

  /** Returns what one call may ask for. */
  CallLimits limits() {
    return limits;
  }

  /** Returns who is told about calls. */
  CallListener listener() {
    return listener;
  }

  private <R> Reply<R> reply(String rpc, StreamObserver<R> observer) {
    return new Reply<>(
        rpc, (ServerCallStreamObserver<R>) observer, listener, inFlight::decrementAndGet);
  }

  /** Returns what a call may use, or fails where the sources are not open yet. */
  CallScope scope(String rpc, long serverTimeMs, Caller caller, CallCancellation cancellation) {
    return new CallScope(
        rpc, serverTimeMs, caller, access.sources(), cancellation, limits, listener);
  }

  private <R> void overloaded(String rpc, Reply<R> reply) {
    reply.fail(overload(rpc));
  }

  /** Tells the listener that something is turned away, and returns what its client is told. */
  WhenceException overload(String rpc) {
    listener.onOverload(rpc);
    return WhenceException.of(
        ErrorReason.OVERLOADED,
        "more calls are waiting than this server takes; retry after a pause");
  }

  private <R> void whenDone(
      CompletionStage<R> stage,
      CallCancellation cancellation,
      Reply<R> reply,
      ToIntFunction<R> results) {
    CompletableFuture<R> future = stage.toCompletableFuture();
    boolean isWorker = future.isDone();
    if (!isWorker) {
      future =
          future.copy().orTimeout(Math.max(0, cancellation.remainingNanos()), TimeUnit.NANOSECONDS);
    }
    CompletableFuture<R> unused =
        future.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                reply.fail(failure);
              } else if (isWorker || results.applyAsInt(answer) <= MAX_RESULTS_SENT_AT_ONCE) {
                reply.answer(answer);
              } else {
                handOver(() -> reply.guard(() -> reply.answer(answer)));
              }
            });
  }

  /** Runs on a worker; here where all are busy, as what was done must be answered. */
  private void handOver(Runnable task) {
    try {
      workers.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /** Answers a call that is worked on in turns. */
  private final class UnaryDone<R> implements TurnWork.Done {
    private final String rpc;
    private final TurnCall<R> call;
    private final Reply<R> reply;

    UnaryDone(String rpc, TurnCall<R> call, Reply<R> reply) {
      this.rpc = rpc;
      this.call = call;
      this.reply = reply;
    }

    @Override
    public void done() {
      reply.guard(() -> reply.answer(call.answer()));
      call.close();
    }

    @Override
    public void failed(Throwable failure) {
      reply.fail(failure);
      call.close();
    }

    @Override
    public void overloaded() {
      CallRunner.this.overloaded(rpc, reply);
      call.close();
    }
  }

  /**
   * The work of a call.
   *
   * @param <Q> the request
   * @param <R> the answer
   */
  @FunctionalInterface
  interface Work<Q, R> {
    /** Answers, or throws a {@link WhenceException} that fails the whole call. */
    R answer(Q request, CallScope scope);
  }
}
