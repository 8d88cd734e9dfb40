package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Directories;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Compares every kind of answer of followed logs with a brute-force scan of what their leaders
 * have, step by step. The seed and the log are set as for {@link RandomLogs}.
 */
class FollowedLogOracleTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final int ONLY_LOG = Integer.getInteger("whence.oracle.log", -1);
  private static final int LOGS = Integer.getInteger("whence.oracle.followed", 200);
  private static final int THREADS = 2;

  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong questions = new AtomicLong();

  @Test
  void followedLogs_everyQuestionAfterEachStep_equalBruteForce() {
    System.out.println("FollowedLogOracleTest seed=" + SEED + " logs=" + LOGS);

    IntStream.range(0, THREADS).parallel().forEach(this::followLogs);

    assertThat(failures).isEmpty();
    assertThat(questions.get()).isGreaterThan(ONLY_LOG < 0 ? 500L * LOGS : 0);
  }

  private void followLogs(int thread) {
    for (int index = thread; index < LOGS && failures.isEmpty(); index += THREADS) {
      if (ONLY_LOG < 0 || ONLY_LOG == index) {
        follow(index);
      }
    }
  }

  private void follow(int index) {
    long seed = SEED * 31 + index;
    RandomLog made = new RandomLogGenerator(seed).generate();
    Path directory = Directories.temporary("whence-followed");
    try {
      questions.addAndGet(new FollowedTraffic(made, directory, seed).run());
    } catch (AssertionError | RuntimeException e) {
      failures.add("seed " + SEED + " log " + index + ": " + e + "\n" + made);
    } finally {
      Directories.delete(directory);
    }
  }
}
