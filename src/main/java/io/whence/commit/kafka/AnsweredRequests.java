package io.whence.commit.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.CommitRules;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests with an id that were answered not long ago, in memory: a restart forgets them.
 * Invariant: none is forgotten before its time; where there is no room, new ones are refused. Those
 * that came to nothing are forgotten at once. Thread safety: thread-safe.
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

  private record Key(String group, String requestId) {}

  private record Answer(
      long askedMs, long fingerprint, CompletableFuture<List<CommitResult>> results) {}

  /**
   * Answers a request, or gives the answer to the first one of its id.
   *
   * @param work begins what the request asks for
   * @throws io.whence.model.WhenceException {@code REQUEST_ID_REUSED} or {@code OVERLOADED}
   */
  CommitReply answer(CommitRequest request, Supplier<CompletableFuture<List<CommitResult>>> work) {
    Key key = new Key(request.group(), request.requestId());
    long fingerprint = CommitRules.fingerprint(request);
    CompletableFuture<List<CommitResult>> results = new CompletableFuture<>();
    synchronized (lock) {
      forgetOld();
      Answer known = answers.get(key);
      if (known != null) {
        if (known.fingerprint() != fingerprint) {
          throw CommitRules.reused(request.group(), request.requestId());
        }
        return CommitReply.later(known.results().copy(), true);
      }
      if (answers.size() >= memory.limit()) {
        throw CommitRules.tooManyRequests(memory.limit());
      }
      answers.put(key, new Answer(clock.millis(), fingerprint, results));
    }
    begin(key, results, work);
    return CommitReply.later(results.copy(), false);
  }

  private void begin(
      Key key,
      CompletableFuture<List<CommitResult>> results,
      Supplier<CompletableFuture<List<CommitResult>>> work) {
    try {
      CompletableFuture<Boolean> unused =
          work.get().handle((told, failure) -> settle(key, results, told, failure));
    } catch (RuntimeException | Error e) {
      settle(key, results, null, e);
      throw e;
    }
  }

  private boolean settle(
      Key key,
      CompletableFuture<List<CommitResult>> results,
      @Nullable List<CommitResult> told,
      @Nullable Throwable failure) {
    if (told != null) {
      return results.complete(told);
    }
    synchronized (lock) {
      answers.remove(key);
    }
    return results.completeExceptionally(
        failure == null ? new IllegalStateException("neither results nor a failure") : failure);
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
