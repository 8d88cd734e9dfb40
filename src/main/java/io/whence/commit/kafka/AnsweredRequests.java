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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
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

  /** The calls that wait for one answer: it is over when all of them are. */
  private static final class Waiting implements Cancellation {
    private final List<Cancellation> calls = new CopyOnWriteArrayList<>();

    Waiting(Cancellation first) {
      calls.add(first);
    }

    void add(Cancellation call) {
      calls.add(call);
    }

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
  }

  private record Key(String group, String requestId) {}

  private record Answer(
      long askedMs,
      long fingerprint,
      Waiting waiting,
      CompletableFuture<List<CommitResult>> results) {
    /** Returns whether some of it failed for the moment. */
    boolean isOpen() {
      return results.isDone() && results.join().stream().anyMatch(AnsweredRequests::isOpen);
    }
  }

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
    CompletableFuture<List<CommitResult>> results = new CompletableFuture<>();
    Waiting waiting = new Waiting(cancellation);
    Answer known;
    synchronized (lock) {
      forgetOld();
      known = answers.get(key);
      if (known != null && known.fingerprint() != fingerprint) {
        throw CommitRules.reused(request.group(), request.requestId());
      }
      if (known != null && !known.isOpen()) {
        known.waiting().add(cancellation);
        return CommitReply.later(known.results().copy(), true);
      }
      if (known == null && answers.size() >= memory.limit()) {
        throw CommitRules.tooManyRequests(memory.limit());
      }
      long askedMs = known == null ? clock.millis() : known.askedMs();
      answers.put(key, new Answer(askedMs, fingerprint, waiting, results));
    }
    begin(new Round(key, request, known, results), waiting, work);
    return CommitReply.later(results.copy(), known != null);
  }

  private void begin(Round round, Waiting waiting, Work work) {
    try {
      CompletableFuture<Boolean> unused =
          work.begin(round.rest(), waiting).handle((told, failure) -> settle(round, told, failure));
    } catch (RuntimeException | Error e) {
      settle(round, null, e);
      throw e;
    }
  }

  private boolean settle(
      Round round, @Nullable List<CommitResult> told, @Nullable Throwable failure) {
    if (told == null) {
      return settle(
          round,
          failure == null ? new IllegalStateException("neither results nor a failure") : failure);
    }
    List<CommitResult> all = round.all(told);
    if (all.stream().anyMatch(AnsweredRequests::isOpen)
        && all.stream().noneMatch(AnsweredRequests::isMade)) {
      keep(round.key(), null);
    }
    return round.results().complete(all);
  }

  private boolean settle(Round round, Throwable failure) {
    keep(round.key(), round.known());
    if (round.known() != null && failure instanceof WhenceException why) {
      return round.results().complete(round.all(why));
    }
    return round.results().completeExceptionally(failure);
  }

  /** Remembers an earlier answer, or none; before anybody is told, and may send it again. */
  private void keep(Key key, @Nullable Answer answer) {
    synchronized (lock) {
      if (answer == null) {
        answers.remove(key);
      } else {
        answers.put(key, answer);
      }
    }
  }

  private static boolean isOpen(CommitResult result) {
    return result.failure().filter(failure -> failure.reason().isRetriable()).isPresent();
  }

  private static boolean isMade(CommitResult result) {
    return result.outcome() == CommitOutcome.COMMITTED
        || result.outcome() == CommitOutcome.UNCHANGED;
  }

  /**
   * One time that a request is sent. Thread safety: immutable.
   *
   * @param known what was answered before; null the first time
   * @param results what is answered this time
   */
  private record Round(
      Key key,
      CommitRequest request,
      @Nullable Answer known,
      CompletableFuture<List<CommitResult>> results) {
    /** Returns what is to be done. */
    CommitRequest rest() {
      if (known == null) {
        return request;
      }
      List<CommitResult> before = known.results().join();
      List<CommitEntry> open = new ArrayList<>();
      for (int i = 0; i < before.size(); i++) {
        if (isOpen(before.get(i))) {
          open.add(request.entries().get(i));
        }
      }
      return request.withEntries(open);
    }

    /** Returns the results of the whole request, given those of the rest. */
    List<CommitResult> all(List<CommitResult> told) {
      if (known == null) {
        return told;
      }
      Iterator<CommitResult> next = told.iterator();
      return known.results().join().stream()
          .map(before -> isOpen(before) ? next.next() : before)
          .toList();
    }

    /** Returns the results of the whole request where the rest failed as a whole. */
    List<CommitResult> all(WhenceException why) {
      return all(
          rest().entries().stream()
              .map(entry -> new CommitResult(CommitOutcome.FAILED, -1, -1, why))
              .toList());
    }
  }

  @GuardedBy("lock")
  private void forgetOld() {
    long nowMs = clock.millis();
    for (Iterator<Answer> oldest = answers.values().iterator(); oldest.hasNext(); ) {
      Answer answer = oldest.next();
      boolean old = nowMs - answer.askedMs() >= memory.window().toMillis();
      if (!old || !answer.results().isDone()) {
        return;
      }
      oldest.remove();
    }
  }
}
