package io.whence.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.whence.model.WhenceException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * Moves calls from the event loop to the workers and their answers back. Every admitted call is
 * answered once, or was given up by its client; calls that find the server full, or that would wait
 * beyond their deadline, are turned away at once. Thread safety: thread-safe.
 */
public final class CallRunner {
  /** A smaller answer takes less time to send than to hand over to another thread. */
  private static final int MAX_RESULTS_SENT_AT_ONCE = 64;

  private final CallWorkers workers;
  private final InstantSource clock;
  private final CallLimits limits;
  private final CatalogAccess access;
  private final CallListener listener;
  private final CallAdmission admission;

  /** Makes a runner over bounded pools that throw {@link RejectedExecutionException} when full. */
  public CallRunner(
      CallWorkers workers,
      InstantSource clock,
      CallLimits limits,
      CatalogAccess access,
      CallListener listener) {
    this.workers = workers;
    this.clock = clock;
    this.limits = limits;
    this.access = access;
    this.listener = listener;
    this.admission = new CallAdmission(limits);
  }

  /** Returns how many calls are waiting or in work. */
  public int callsInFlight() {
    return admission.callsInFlight();
  }

  /** Returns how many calls of a lane are waiting or in work. */
  public int callsInFlight(CallLane lane) {
    return admission.callsInFlight(lane);
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
    CallLane lane = CallLane.of(rpc);
    Connection connection = Caller.ofCurrentCall().connection();
    Reply<R> reply =
        new Reply<>(
            rpc,
            (ServerCallStreamObserver<R>) observer,
            listener,
            () -> admission.leave(lane, connection));
    CallCancellation cancellation = CallCancellation.ofCurrentCall(limits.defaultDeadline());
    long waitNanos = workers.expectedWaitNanos(lane, connection);
    Optional<String> refusal = admission.enter(lane, connection);
    if (refusal.isPresent()) {
      overloaded(rpc, reply, refusal.get(), waitNanos);
    } else if (waitNanos > Math.max(0, cancellation.remainingNanos())) {
      overloaded(rpc, reply, "so many calls wait that the deadline would pass", waitNanos);
    } else {
      Runnable task = task(rpc, request, cancellation, work, reply, results);
      try {
        workers.execute(lane, connection, task);
      } catch (RejectedExecutionException e) {
        overloaded(rpc, reply, CallAdmission.FULL, waitNanos);
      }
    }
  }

  /** Makes the work of a worker, on the event loop, where the call is the current one. */
  private <Q, R> Runnable task(
      String rpc,
      Q request,
      CallCancellation cancellation,
      Work<Q, CompletionStage<R>> work,
      Reply<R> reply,
      ToIntFunction<R> results) {
    Caller caller = Caller.ofCurrentCall();
    long serverTimeMs = clock.millis();
    return () ->
        reply.guard(
            () -> {
              cancellation.check();
              CallScope scope =
                  new CallScope(
                      rpc, serverTimeMs, caller, access.sources(), cancellation, limits, listener);
              whenDone(work.answer(request, scope), scope, reply, results);
            });
  }

  private <R> void overloaded(String rpc, Reply<R> reply, String message, long waitNanos) {
    listener.onOverload(rpc);
    reply.fail(Overload.refusal(message, waitNanos));
  }

  private <R> void whenDone(
      CompletionStage<R> stage, CallScope scope, Reply<R> reply, ToIntFunction<R> results) {
    CompletableFuture<R> future = stage.toCompletableFuture();
    boolean isWorker = future.isDone();
    if (!isWorker) {
      future =
          future
              .copy()
              .orTimeout(Math.max(0, scope.cancellation().remainingNanos()), TimeUnit.NANOSECONDS);
    }
    CompletableFuture<R> unused =
        future.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                reply.fail(failure);
              } else if (isWorker || results.applyAsInt(answer) <= MAX_RESULTS_SENT_AT_ONCE) {
                reply.answer(answer);
              } else {
                handOver(scope, () -> reply.guard(() -> reply.answer(answer)));
              }
            });
  }

  /** Runs on a worker; here where all are busy, as what was done must be answered. */
  private void handOver(CallScope scope, Runnable task) {
    try {
      workers.execute(CallLane.of(scope.rpc()), scope.caller().connection(), task);
    } catch (RejectedExecutionException e) {
      task.run();
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
