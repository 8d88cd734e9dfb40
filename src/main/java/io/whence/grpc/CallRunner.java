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
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Moves calls from the event loop to the workers and their answers back. Every admitted call is
 * answered once, or was given up by its client; calls that find the server full, or that would wait
 * for a worker beyond their deadline, are turned away at once, those that are worked on in turns
 * when they need a worker. Thread safety: thread-safe.
 */
public final class CallRunner {
  /** A smaller answer takes less time to send than to hand over to another thread. */
  private static final int MAX_RESULTS_SENT_AT_ONCE = 64;

  private final CallThreads threads;
  private final CallWorkers workers;
  private final TurnRunner turns;
  private final InstantSource clock;
  private final CallLimits limits;
  private final CatalogAccess access;
  private final CallListener listener;
  private final CallAdmission admission;

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
    Reply<R> reply = reply(rpc, observer, lane, connection);
    CallCancellation cancellation = CallCancellation.ofCurrentCall(limits.defaultDeadline());
    long waitNanos = workers.expectedWaitNanos(lane, connection);
    Optional<String> refusal = admission.enter(lane, connection);
    if (refusal.isPresent()) {
      overloaded(rpc, reply, refusal.get(), waitNanos);
    } else if (waitNanos > Math.max(0, cancellation.remainingNanos())) {
      overloaded(rpc, reply, CallAdmission.TOO_LATE, waitNanos);
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
              CallScope scope = scope(rpc, serverTimeMs, caller, cancellation);
              whenDone(work.answer(request, scope), scope, reply, results);
            });
  }

  /**
   * Runs a lookup in turns, beginning on the event loop that calls this.
   *
   * @param begin begins the call, or refuses it
   */
  <R> void runInTurns(
      String rpc, StreamObserver<R> observer, Function<CallScope, TurnCall<R>> begin) {
    Caller caller = Caller.ofCurrentCall();
    Reply<R> reply = reply(rpc, observer, CallLane.LOOKUPS, caller.connection());
    Optional<String> refusal = admission.enter(CallLane.LOOKUPS, caller.connection());
    if (refusal.isPresent()) {
      overloaded(rpc, reply, refusal.get(), lookupWaitNanos(caller));
      return;
    }
    reply.guard(
        () -> {
          CallCancellation cancellation = CallCancellation.ofCurrentCall(limits.defaultDeadline());
          CallScope scope = scope(rpc, clock.millis(), caller, cancellation);
          TurnCall<R> call = begin.apply(scope);
          turns.run(call, turns.slice(), new UnaryDone<>(scope, call, reply), caller.connection());
        });
  }

  /**
   * Lets a stream in, which counts as a call of its connection until {@link #leaveStream}.
   *
   * @return why there is no room for it, if so; it is to leave in either case
   */
  Optional<WhenceException> enterStream(String rpc, Caller caller) {
    return admission
        .enterStream(caller.connection())
        .map(message -> overload(rpc, message, lookupWaitNanos(caller)));
  }

  /** Takes note of the end of a stream. */
  void leaveStream(Caller caller) {
    admission.leaveStream(caller.connection());
  }

  /**
   * Lets a request of a stream in, which counts as a call until {@link #leave}.
   *
   * @return why there is no room for it, if so; it is to leave in either case
   */
  Optional<WhenceException> enter(String rpc, Caller caller) {
    return admission
        .enter(CallLane.LOOKUPS, caller.connection())
        .map(message -> overload(rpc, message, lookupWaitNanos(caller)));
  }

  /** Takes note of the end of a request of a stream. */
  void leave(Caller caller) {
    admission.leave(CallLane.LOOKUPS, caller.connection());
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

  /** Returns what a call may use, or fails where the sources are not open yet. */
  CallScope scope(String rpc, long serverTimeMs, Caller caller, CallCancellation cancellation) {
    return new CallScope(
        rpc,
        serverTimeMs,
        caller,
        access.sources(),
        cancellation,
        limits,
        caller.trace().heard(listener));
  }

  private <R> Reply<R> reply(
      String rpc, StreamObserver<R> observer, CallLane lane, Connection connection) {
    return new Reply<>(
        rpc,
        (ServerCallStreamObserver<R>) observer,
        listener,
        connection.unread(),
        () -> admission.leave(lane, connection));
  }

  private long lookupWaitNanos(Caller caller) {
    return workers.expectedWaitNanos(CallLane.LOOKUPS, caller.connection());
  }

  private <R> void overloaded(String rpc, Reply<R> reply, String message, long waitNanos) {
    reply.fail(overload(rpc, message, waitNanos));
  }

  /** Tells the listener that a lookup is turned away; returns what the client is told. */
  WhenceException refusal(String rpc, Caller caller, String reason) {
    return overload(rpc, reason, lookupWaitNanos(caller));
  }

  private WhenceException overload(String rpc, String message, long waitNanos) {
    listener.onOverload(rpc);
    return Overload.refusal(message, waitNanos);
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

  /** Answers a call that is worked on in turns. */
  private final class UnaryDone<R> implements TurnWork.Done {
    private final CallScope scope;
    private final TurnCall<R> call;
    private final Reply<R> reply;

    UnaryDone(CallScope scope, TurnCall<R> call, Reply<R> reply) {
      this.scope = scope;
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
    public void refused(String reason) {
      reply.fail(refusal(scope.rpc(), scope.caller(), reason));
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
