package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.log.TestLogs;
import io.whence.testkit.BruteForce;
import io.whence.testkit.Directories;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Compares every kind of answer with a brute-force scan, over logs that were made up. To see one
 * log again: {@code -Dwhence.oracle.seed=<seed> -Dwhence.oracle.log=<index>}; to see more of them:
 * {@code -Dwhence.oracle.logs=<count>}.
 */
class RandomLogOracleTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final int LOGS = Integer.getInteger("whence.oracle.logs", 10_000);
  private static final int ONLY_LOG = Integer.getInteger("whence.oracle.log", -1);

  private static final int THREADS = 2;

  @Test
  void randomLogs_everyQuestion_equalBruteForce() {
    System.out.println("RandomLogOracleTest seed=" + SEED + " logs=" + LOGS);
    ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    AtomicLong questions = new AtomicLong();

    IntStream.range(0, THREADS)
        .parallel()
        .forEach(thread -> checkLogs(thread, failures, questions));

    assertThat(failures).isEmpty();
    assertThat(questions.get()).isGreaterThan(ONLY_LOG < 0 ? 50L * LOGS : 0);
  }

  private static void checkLogs(
      int thread, ConcurrentLinkedQueue<String> failures, AtomicLong questions) {
    Path directory = Directories.temporary("whence-oracle");
    try {
      for (int index = thread; index < LOGS && failures.isEmpty(); index += THREADS) {
        if (ONLY_LOG < 0 || ONLY_LOG == index) {
          questions.addAndGet(checkLog(directory, index, failures));
        }
      }
    } finally {
      Directories.delete(directory);
    }
  }

  private static long checkLog(Path directory, int index, ConcurrentLinkedQueue<String> failures) {
    long seed = SEED * 31 + index;
    RandomLog log = new RandomLogGenerator(seed).generate();
    try {
      log.write(directory);
      return askEverything(log, directory, seed);
    } catch (AssertionError | RuntimeException e) {
      failures.add(
          "seed " + SEED + " log " + index + ": " + e + "\n" + firstFrames(e) + "\n" + log);
      return 0;
    }
  }

  private static long askEverything(RandomLog log, Path directory, long seed) {
    // Every eighth is loaded as archives are; the others with block boundaries and ends of their
    // own.
    long logStart = log.effectiveStartOffset();
    boolean asArchive = log.highWatermark() == log.endOffset() && seed % 8 == 0;
    try (TestLogs.Loaded loaded =
        asArchive
            ? TestLogs.loadArchive(directory, log.logStartOffset())
            : TestLogs.load(directory, log.indexIntervalBytes(), logStart, log.highWatermark())) {
      LogSnapshot snapshot = loaded.log();
      BruteForce oracle = log.oracle();
      return new RandomQuestions(snapshot, oracle, log, seed).askAll();
    }
  }

  private static String firstFrames(Throwable failure) {
    StringBuilder frames = new StringBuilder();
    for (int i = 0; i < Math.min(8, failure.getStackTrace().length); i++) {
      frames.append("  at ").append(failure.getStackTrace()[i]).append('\n');
    }
    return frames.toString();
  }
}
