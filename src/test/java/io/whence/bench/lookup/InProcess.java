package io.whence.bench.lookup;

import io.whence.bench.data.DataSet;
import io.whence.bench.data.LogPlan;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.resolve.LogResolver;
import io.whence.resolve.PositionAnswer;
import java.nio.file.Path;
import java.util.Random;

/** Lookups in this very JVM, without a call. Thread safety: thread-safe. */
final class InProcess {
  private static final int TARGETS = 1 << 16;
  private static final int BURST = 1 << 12;
  private static final long SEED = 5;

  private InProcess() {}

  /** Opens logs, and returns how many nanoseconds a lookup in its only partition takes. */
  static double nanos(Path data, LogPlan plan, Settings settings) throws Exception {
    return DataSet.use(
        data,
        source -> {
          LogSnapshot log = source.snapshot(new TopicPartition(plan.topic(), 0));
          Position[] targets = targets(plan);
          check(plan, log, targets);
          measure(log, targets, settings.nanos());
          return measure(log, targets, settings.nanos());
        });
  }

  private static Position[] targets(LogPlan plan) {
    Random random = new Random(SEED);
    Position[] targets = new Position[TARGETS];
    for (int i = 0; i < TARGETS; i++) {
      targets[i] = new Position.AtOrAfter(plan.timestampMs(random.nextDouble()));
    }
    return targets;
  }

  private static void check(LogPlan plan, LogSnapshot log, Position[] targets) {
    PositionAnswer answer = new PositionAnswer();
    for (int i = 0; i < TARGETS; i += 64) {
      resolve(new LogResolver(), log, targets[i], answer);
      long ms = ((Position.AtOrAfter) targets[i]).targetTimestampMs();
      long expected = plan.expectedOffset(0, ms).orElseThrow();
      if (answer.offset() != expected) {
        throw new WrongAnswerException(
            "in process: %d instead of %d for %d".formatted(answer.offset(), expected, ms));
      }
    }
  }

  private static double measure(LogSnapshot log, Position[] targets, long nanos) {
    LogResolver resolver = new LogResolver();
    PositionAnswer answer = new PositionAnswer();
    long began = System.nanoTime();
    long count = 0;
    long sum = 0;
    long now;
    do {
      for (int i = 0; i < BURST; i++) {
        resolve(resolver, log, targets[(int) (count++ & (TARGETS - 1))], answer);
        sum += answer.offset();
      }
      now = System.nanoTime();
    } while (now - began < nanos);
    if (sum == 0) {
      throw new IllegalStateException("nothing was found");
    }
    return (double) (now - began) / count;
  }

  private static void resolve(
      LogResolver resolver, LogSnapshot log, Position position, PositionAnswer answer) {
    if (!resolver.resolveFromMemory(log, position, IsolationLevel.READ_UNCOMMITTED, answer)) {
      answer.set(
          resolver.resolve(log, position, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE));
    }
  }
}
