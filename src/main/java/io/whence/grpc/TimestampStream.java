package io.whence.grpc;

import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.StreamResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One StreamResolveTimestamp call. Its requests are answered one after the other, in their order;
 * none is begun while the client leaves answers unread, and then none is read from the connection
 * either. So it holds a few requests and one answer at the most. Each request counts as a call from
 * its arrival on; one that there is no room for is kept no longer than its tag.
 *
 * <p>Everything happens on the event loop of the call, apart from the work of a request that needs
 * a worker; what others tell it is noted and seen to there. Thread safety: thread-safe.
 */
final class TimestampStream implements StreamObserver<StreamResolveTimestampRequest> {
  private static final String RPC = "StreamResolveTimestamp";

  /** How many requests may be here, the one in work included; the connection holds the others. */
  private static final int WINDOW = 2;

  private final TimestampStreams streams;
  private final CallRunner runner;
  private final ServerCallStreamObserver<EncodedMessage> client;
  private final EventLoop loop;
  private final Context context = Context.current();
  private final Caller caller = Caller.ofCurrentCall();
  private final SentAnswers sent;

  private final Queue<StreamedRequest> inbox = new ConcurrentLinkedQueue<>();
  private volatile boolean halfClosed;
  private volatile boolean cancelled;
  private volatile boolean draining;

  // Of the event loop alone.
  private boolean inTurn;
  private boolean resting;
  private boolean answering;
  private boolean ended;
  private int toRequest;

  TimestampStream(TimestampStreams streams, ServerCallStreamObserver<EncodedMessage> client) {
    this.streams = streams;
    this.client = client;
    runner = streams.runner();
    loop = runner.threads().currentLoop().get();
    UnreadAnswers unread = caller.connection().unread();
    sent = new SentAnswers(client, unread, loop, streams.stall(), this::stalled);
  }

  /** Asks for the first requests; inside the method of the service. */
  void begin() {
    client.setOnCancelHandler(this::cancel);
    client.setOnCloseHandler(sent::closed);
    client.setOnReadyHandler(this::wake);
    client.disableAutoRequest();
    Optional<WhenceException> refusal = runner.enterStream(RPC, caller);
    if (refusal.isPresent()) {
      fail(refusal.get());
    } else {
      client.request(WINDOW);
    }
  }

  @Override
  public void onNext(StreamResolveTimestampRequest message) {
    StreamedRequest arrived = new StreamedRequest(message, runner.clock().millis());
    Optional<WhenceException> refusal = runner.enter(RPC, caller);
    if (refusal.isPresent()) {
      arrived.refuse(refusal.get());
    }
    inbox.add(arrived);
    wake();
  }

  @Override
  public void onCompleted() {
    halfClosed = true;
    wake();
  }

  @Override
  public void onError(Throwable failure) {
    cancel();
  }

  private void cancel() {
    cancelled = true;
    sent.closed();
    wake();
  }

  /** Ends the stream after the request that is in work, because the server stops. */
  void drain() {
    draining = true;
    wake();
  }

  private void wake() {
    if (loop.isCurrent()) {
      turn();
    } else {
      loop.execute(this::turn);
    }
  }

  /** Does what can be done now. */
  private void turn() {
    if (inTurn || resting) {
      return; // What is new is seen to there.
    }
    inTurn = true;
    try {
      TimeSlice slice = runner.turns().slice();
      boolean goesOn = true;
      while (goesOn && !ended && !answering) {
        goesOn = step(slice);
      }
    } finally {
      inTurn = false;
      requestMore();
    }
    if (ended || cancelled) {
      dropRequests();
    }
    if (!inbox.isEmpty()) {
      holdRequests();
    }
  }

  /** Counts the memory of requests that have to wait. */
  private void holdRequests() {
    for (StreamedRequest waits : inbox) {
      waits
          .hold(caller.connection().held())
          .ifPresent(full -> waits.refuse(runner.refusal(RPC, caller, full)));
    }
  }

  /** Asks for requests in place of those that are answered, once the client has read. */
  private void requestMore() {
    if (toRequest > 0 && !ended && sent.areRead()) {
      int count = toRequest;
      toRequest = 0;
      client.request(count);
    }
  }

  private void dropRequests() {
    for (StreamedRequest next = inbox.poll(); next != null; next = inbox.poll()) {
      next.letGo(caller.connection().held());
      runner.leave(caller);
    }
  }

  /** Takes one step; returns whether there may be another one now. */
  private boolean step(TimeSlice slice) {
    boolean allHaveArrived = halfClosed;
    if (cancelled) {
      end();
    } else if (inbox.isEmpty() && allHaveArrived) {
      end();
      client.onCompleted();
    } else if (draining) {
      fail(WhenceException.of(ErrorReason.DRAINING, "the server stops; ask another one"));
    } else if (inbox.isEmpty()) {
      return false;
    } else if (!sent.areRead()) {
      sent.startTimer();
      return false;
    } else if (slice.isOver()) {
      rest();
      return false;
    } else {
      answer(inbox.remove());
    }
    return true;
  }

  private void answer(StreamedRequest arrived) {
    answering = true;
    arrived.letGo(caller.connection().held());
    Answer answer = new Answer(arrived.message().getTag());
    if (arrived.refusal().isPresent()) {
      answer.failed(arrived.refusal().get());
      return;
    }
    TimestampCall call;
    try {
      Duration patience = runner.limits().defaultDeadline();
      CallScope scope =
          runner.scope(
              RPC,
              arrived.serverTimeMs(),
              caller,
              CallCancellation.ofStreamedRequest(context, patience));
      call = streams.call(arrived.message(), scope);
    } catch (RuntimeException e) {
      answer.failed(e);
      return;
    }
    answer.call = call;
    runner.turns().run(call, runner.turns().slice(), answer, caller.connection());
  }

  /** On the event loop: sends an answer, which makes room for another request. */
  private void send(EncodedMessage message) {
    answering = false;
    if (cancelled || ended) {
      runner.listener().onAbandoned(RPC);
    } else {
      client.onNext(message);
      sent.sent(message.length());
      toRequest++;
    }
  }

  /** Lets others have the loop. */
  private void rest() {
    resting = true;
    loop.execute(
        () -> {
          resting = false;
          turn();
        });
  }

  private void stalled() {
    if (!ended && !answering) {
      runner.listener().onAbandoned(RPC);
      fail(streams.stalled());
    }
  }

  private void fail(WhenceException failure) {
    end();
    client.onError(GrpcErrors.status(failure));
  }

  private void end() {
    ended = true;
    dropRequests();
    sent.end();
    runner.leaveStream(caller);
    streams.remove(this);
  }

  /** What becomes of one request; told by the thread that ends its work. */
  private final class Answer implements TurnWork.Done {
    private final long tag;
    private @Nullable TimestampCall call;

    Answer(long tag) {
      this.tag = tag;
    }

    @Override
    public void done() {
      if (call != null) {
        settle(call.streamAnswer(tag));
      }
    }

    @Override
    public void failed(Throwable failure) {
      settle(error(Reply.known(RPC, failure, runner.listener())));
    }

    @Override
    public void refused(String reason) {
      settle(error(runner.refusal(RPC, caller, reason)));
    }

    private void settle(EncodedMessage message) {
      if (loop.isCurrent()) {
        end(message);
      } else {
        loop.execute(() -> end(message));
      }
    }

    private void end(EncodedMessage message) {
      runner.leave(caller);
      send(message);
      if (call != null) {
        call.close();
      }
      turn();
    }

    private EncodedMessage error(WhenceException failure) {
      return EncodedMessage.of(
          StreamResolveTimestampResponse.newBuilder()
              .setTag(tag)
              .setError(GrpcErrors.partitionError(failure))
              .build()
              .toByteArray());
    }
  }
}
