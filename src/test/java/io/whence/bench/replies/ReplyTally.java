package io.whence.bench.replies;

import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Counts what calls came to. Thread safety: thread-safe. */
final class ReplyTally {
  private final LongAdder answered = new LongAdder();
  private final LongAdder wrong = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final AtomicReference<String> firstProblem = new AtomicReference<>("");

  void answered() {
    answered.increment();
  }

  /** A call had no answer, several, or another's. */
  void wrong(String what) {
    wrong.increment();
    firstProblem.compareAndSet("", what);
  }

  void failed(Status status) {
    failed.increment();
    firstProblem.compareAndSet("", status.toString());
  }

  long answeredCount() {
    return answered.sum();
  }

  long wrongCount() {
    return wrong.sum();
  }

  long failedCount() {
    return failed.sum();
  }

  Optional<String> firstProblem() {
    return Optional.of(firstProblem.get()).filter(problem -> !problem.isEmpty());
  }
}
