package io.whence.commit.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.commit.CommitEntry;
import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.CommitRules;
import io.whence.model.Cancellation;
import io.whence.model.WhenceException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests with an id that were answered not long ago, in memory: a restart forgets them.
 * Invariant: none is forgotten before its time; where there is no room, new ones are refused. Those
 * that came to nothing, and may come to something later, are forgotten at once; of those that came
 * to something, what failed for the moment is tried again when they are sent again, and only that.
 * Thread safety: thread-safe.
 */
final class AnsweredRequests {
  private final Object lock = new Object();
  private final KafkaGroupOptions.RequestMemory memory;
  private final InstantSource clock;

  /** Oldest first. */
  @GuardedBy("lock")
  private final Map<Key, Answer> answers = new LinkedHashMap<>();

  AnsweredRequests(KafkaGroupOptions.RequestMemory memory, InstantSource clock) {
    this.memory = memory;
    this.clock = clock;
  }

  /** Does requests. */
  @FunctionalInterface
  interface Work {
    /**
     * Begins one, unless nobody waits for it.
     *
     * @return what became of each entry, in order
     */
    CompletableFuture<List<CommitResult>> begin(CommitRequest request, Cancellation cancellation);
  }

  private record Key(String group, String requestId) {}

  /**
   * Answers a request, or gives the answer to the first one of its id.
   *
   * @param cancellation of the call; what several calls wait for goes on as long as one of them
   *     does
   * @param work begins what a request asks for: this one, or what is open of it
   * @throws WhenceException {@code REQUEST_ID_REUSED} or {@code OVERLOADED}
   */
  CommitReply answer(CommitRequest request, Cancellation cancellation, Work work) {
    Key key = new Key(request.group(), request.requestId());
    long fingerprint = CommitRules.fingerprint(request);
    Answer answer;
    boolean known;
    boolean begins;
    CompletableFuture<List<CommitResult>> results;
    synchronized (lock) {
      forgetOld();
      known = answers.containsKey(key);
      if (!known && answers.size() >= memory.limit()) {
        throw CommitRules.tooManyRequests(memory.limit());
      }
      answer = answers.computeIfAbsent(key, k -> new Answer(k, fingerprint, clock.millis()));
      if (answer.fingerprint != fingerprint) {
        throw CommitRules.reused(request.group(), request.requestId());
      }
      begins = answer.join(cancellation);
      results = answer.results;
    }
    if (begins) {
      answer.begin(request, work);
    }
    return CommitReply.later(results.copy(), known);
  }

  private static boolean isOpen(CommitResult result) {
    return result.failure().filter(failure -> failure.reason().isRetriable()).isPresent();
  }

  private static boolean isMade(CommitResult result) {
    return result.outcome() == CommitOutcome.COMMITTED
        || result.outcome() == CommitOutcome.UNCHANGED;
  }

  /**
   * What is known of one request, and who waits for what is being done of it. State changes under
   * the lock. Thread safety: thread-safe.
   */
  private final class Answer implements Cancellation {
    private final Key key;
    private final long fingerprint;
    private final long askedMs;

    /** The calls that wait for what is being done; nobody otherwise. */
    private final Queue<Cancellation> calls = new ConcurrentLinkedQueue<>();

    /** What became of each entry; empty as long as that was never told. */
    private volatile List<CommitResult> told = List.of();

    /** What is told next, or was told last where nothing is being done. */
    private volatile CompletableFuture<List<CommitResult>> results = new CompletableFuture<>();

    private volatile boolean isBeingDone;

    Answer(Key key, long fingerprint, long askedMs) {
      this.key = key;
      this.fingerprint = fingerprint;
      this.askedMs = askedMs;
    }

    /** It is over for the work when it is for all of the calls that wait. */
    @Override
    public void check() {
      WhenceException over = null;
      for (Cancellation call : calls) {
        try {
          call.check();
          return;
        } catch (WhenceException e) {
          over = e;
        }
      }
      if (over != null) {
        throw over;
      }
    }

    /** Lets a call wait, under the lock; returns whether it has to begin what it waits for. */
    boolean join(Cancellation call) {
      boolean begins =
          !isBeingDone && (told.isEmpty() || told.stream().anyMatch(AnsweredRequests::isOpen));
      if (begins) {
        isBeingDone = true;
        results = new CompletableFuture<>();
      }
      if (isBeingDone) {
        calls.add(call);
      }
      return begins;
    }

    /** Begins what is open of the request. */
    void begin(CommitRequest request, Work work) {
      try {
        CompletableFuture<Boolean> unused = work.begin(rest(request), this).handle(this::settle);
      } catch (RuntimeException | Error e) {
        settle(null, e);
        throw e;
      }
    }

    private CommitRequest rest(CommitRequest request) {
      if (told.isEmpty()) {
        return request;
      }
      List<CommitEntry> open = new ArrayList<>();
      for (int i = 0; i < told.size(); i++) {
        if (isOpen(told.get(i))) {
          open.add(request.entries().get(i));
        }
      }
      return request.withEntries(open);
    }

    /** Tells what came of it. Where it failed as a whole, what was known before still holds. */
    private boolean settle(@Nullable List<CommitResult> done, @Nullable Throwable failure) {
      CompletableFuture<List<CommitResult>> waited;
      List<CommitResult> all;
      synchronized (lock) {
        waited = results;
        all = all(done, failure);
        told = done == null ? told : all;
        // Before anybody is told, and may send it again.
        isBeingDone = false;
        calls.clear();
        if (told.stream().noneMatch(AnsweredRequests::isMade)
            && (done == null || told.stream().anyMatch(AnsweredRequests::isOpen))) {
          answers.remove(key);
        }
      }
      if (done != null || !all.isEmpty()) {
        return waited.complete(all);
      }
      return waited.completeExceptionally(
          failure == null ? new IllegalStateException("neither results nor a failure") : failure);
    }

    /** Returns the results of the whole request; none where there is only a failure. */
    private List<CommitResult> all(@Nullable List<CommitResult> done, @Nullable Throwable failure) {
      if (done != null) {
        return told.isEmpty() ? List.copyOf(done) : withOpen(done.iterator()::next);
      }
      return failure instanceof WhenceException why
          ? withOpen(() -> new CommitResult(CommitOutcome.FAILED, -1, -1, why))
          : List.of();
    }

    private List<CommitResult> withOpen(Supplier<CommitResult> next) {
      return told.stream().map(before -> isOpen(before) ? next.get() : before).toList();
    }
  }

  @GuardedBy("lock")
  private void forgetOld() {
    long nowMs = clock.millis();
    for (Iterator<Answer> oldest = answers.values().iterator(); oldest.hasNext(); ) {
      Answer answer = oldest.next();
      boolean old = nowMs - answer.askedMs >= memory.window().toMillis();
      if (!old || answer.isBeingDone) {
        return;
      }
      oldest.remove();
    }
  }
}
