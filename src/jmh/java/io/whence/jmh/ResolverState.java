package io.whence.jmh;

import io.whence.bench.data.DataSet;
import io.whence.bench.data.LogPlan;
import io.whence.bench.data.OpenData;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.resolve.LogResolver;
import io.whence.resolve.PositionAnswer;
import io.whence.testkit.Directories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Logs that are open, and times to look up in them, of any kind. Thread safety: single-writer. */
final class ResolverState implements AutoCloseable {
  private static final int TARGETS = 1 << 16;
  private static final long SEED = 5;

  private final Path directory = Directories.temporary("whence-jmh");
  private final OpenData data;
  private final LogSnapshot[] logs;
  private final Position[] targets = new Position[TARGETS];
  private final long[] targetMs = new long[TARGETS];
  private final LogResolver resolver = new LogResolver();
  private final PositionAnswer answer = new PositionAnswer();
  private int next;

  ResolverState(LogPlan plan) throws Exception {
    DataSet.write(directory.resolve("data"), List.of(plan));
    data = OpenData.open(directory.resolve("data"));
    logs =
        IntStream.range(0, plan.partitions())
            .mapToObj(i -> data.source().snapshot(new TopicPartition(plan.topic(), i)))
            .toArray(LogSnapshot[]::new);
    Random random = new Random(SEED);
    for (int i = 0; i < TARGETS; i++) {
      targetMs[i] = plan.timestampMs(random.nextDouble());
      targets[i] = new Position.AtOrAfter(targetMs[i]);
      int partition = i % plan.partitions();
      if (i % 64 == 0 && resolve(partition, i) != expected(plan, partition, targetMs[i])) {
        throw new IllegalStateException("wrong: " + answer.offset() + " for " + targetMs[i]);
      }
    }
  }

  private static long expected(LogPlan plan, int partition, long ms) {
    return plan.expectedOffset(partition, ms).orElseThrow();
  }

  /** Returns the number of another target. */
  int nextTarget() {
    return next++ & (TARGETS - 1);
  }

  /** Returns the time of a target. */
  long targetMs(int target) {
    return targetMs[target];
  }

  /** Looks up a target; from files where it is not in memory. Returns the offset. */
  long resolve(int partition, int target) {
    LogSnapshot log = logs[partition];
    Position position = targets[target];
    if (!resolver.resolveFromMemory(log, position, IsolationLevel.READ_UNCOMMITTED, answer)) {
      answer.set(
          resolver.resolve(log, position, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE));
    }
    return answer.offset();
  }

  @Override
  public void close() throws IOException {
    data.close();
    Directories.delete(directory);
  }
}
