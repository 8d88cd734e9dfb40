package io.whence.grpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.stub.ServerCallStreamObserver;
import io.whence.v1.Outcome;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchDone;
import io.whence.v1.WatchProgress;
import io.whence.v1.WatchStarted;
import io.whence.v1.WatchTimestampResponse;
import io.whence.v1.WatchedPartition;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a watch has to tell its client, as state and not as a queue: however long the client doesn't
 * read, there is one answer for each partition and no more. Sends only what the client takes.
 * Thread safety: thread-safe.
 */
final class WatchEvents {
  /** The client takes what there is. */
  static final long NOT_BLOCKED = -1;

  private final Object lock = new Object();
  private final ServerCallStreamObserver<WatchTimestampResponse> call;
  private final InstantSource clock;

  @GuardedBy("lock")
  private @Nullable WatchStarted started;

  @GuardedBy("lock")
  private List<WatchTarget> targets = List.of();

  @GuardedBy("lock")
  private @Nullable TimestampAnswer[] answers = {};

  @GuardedBy("lock")
  private final BitSet unsent = new BitSet();

  @GuardedBy("lock")
  private boolean isBegun;

  @GuardedBy("lock")
  private boolean progressDue;

  @GuardedBy("lock")
  private boolean isDone;

  @GuardedBy("lock")
  private boolean isClosed;

  @GuardedBy("lock")
  private int reached;

  @GuardedBy("lock")
  private int failed;

  @GuardedBy("lock")
  private long sent;

  /** Makes the events of a watch that has not begun. */
  WatchEvents(ServerCallStreamObserver<WatchTimestampResponse> call, InstantSource clock) {
    this.call = call;
    this.clock = clock;
  }

  /** Says that the watch has begun: the first event. */
  void begin(WatchPlan plan) {
    synchronized (lock) {
      isBegun = true;
      targets = plan.targets();
      answers = new TimestampAnswer[targets.size()];
      started =
          WatchStarted.newBuilder()
              .setSource(plan.source().name())
              .addAllTargetTimestampMs(plan.timesMs())
              .setPartitionCount(targets.size())
              .build();
    }
  }

  /** Keeps the answer of a partition, the only one. */
  void add(WatchTarget target, TimestampAnswer answer) {
    synchronized (lock) {
      answers[target.number()] = answer;
      unsent.set(target.number());
      if (answer.getOutcome() == Outcome.OUTCOME_FOUND) {
        reached++;
      } else {
        failed++;
      }
    }
  }

  /** Asks for an event of progress; one that was not sent yet is enough. */
  void addProgress() {
    synchronized (lock) {
      progressDue = true;
    }
  }

  /**
   * Sends what the client takes now.
   *
   * @return whether the call is closed, as everything was sent or it failed
   */
  boolean send() {
    synchronized (lock) {
      while (!isClosed && hasNext() && call.isReady()) {
        call.onNext(next());
        sent++;
        if (isDone) {
          isClosed = true;
          call.onCompleted();
        }
      }
      return isClosed;
    }
  }

  @GuardedBy("lock")
  private boolean hasNext() {
    if (started != null || !unsent.isEmpty()) {
      return true;
    }
    return isBegun && (progressDue || waiting() == 0);
  }

  @GuardedBy("lock")
  private int waiting() {
    return targets.size() - reached - failed;
  }

  @GuardedBy("lock")
  private WatchTimestampResponse next() {
    WatchStarted first = started;
    if (first != null) {
      started = null;
      return event().setStarted(first).build();
    }
    int number = unsent.nextSetBit(0);
    if (number >= 0) {
      return event().setPartition(partition(number)).build();
    }
    if (waiting() > 0) {
      progressDue = false;
      return event().setProgress(progress()).build();
    }
    isDone = true;
    return event().setDone(done()).build();
  }

  @GuardedBy("lock")
  private WatchedPartition partition(int number) {
    unsent.clear(number);
    WatchedPartition.Builder partition =
        WatchedPartition.newBuilder()
            .setQueryIndex(targets.get(number).queryIndex())
            .setTopic(targets.get(number).partition().topic());
    TimestampAnswer answer = answers[number];
    if (answer != null) {
      partition.setAnswer(answer);
      answers[number] = null;
    }
    return partition.build();
  }

  private WatchTimestampResponse.Builder event() {
    return WatchTimestampResponse.newBuilder().setServerTimeMs(clock.millis());
  }

  @GuardedBy("lock")
  private WatchProgress progress() {
    return WatchProgress.newBuilder()
        .setReachedCount(reached)
        .setFailedCount(failed)
        .setWaitingCount(waiting())
        .build();
  }

  @GuardedBy("lock")
  private WatchDone done() {
    return WatchDone.newBuilder().setReachedCount(reached).setFailedCount(failed).build();
  }

  /** Fails the call, unless it is closed. */
  void fail(RuntimeException status) {
    synchronized (lock) {
      if (!isClosed) {
        isClosed = true;
        call.onError(status);
      }
    }
  }

  /**
   * Returns how many events were sent when the client takes no more and there are some; {@link
   * #NOT_BLOCKED} otherwise.
   */
  long sentUntilBlocked() {
    synchronized (lock) {
      return !isClosed && hasNext() && !call.isReady() ? sent : NOT_BLOCKED;
    }
  }
}
