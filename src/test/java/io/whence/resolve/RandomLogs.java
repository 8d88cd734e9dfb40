package io.whence.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.log.TestLogs;
import io.whence.testkit.Directories;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Makes up logs and has each of them checked. To see one log again: {@code
 * -Dwhence.oracle.seed=<seed> -Dwhence.oracle.log=<index>}; to see more of them: {@code
 * -Dwhence.oracle.logs=<count>}. Thread safety: single-writer; one a test.
 */
public final class RandomLogs {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final int ONLY_LOG = Integer.getInteger("whence.oracle.log", -1);
  private static final int THREADS = 2;

  private final int count;
  private final Check check;
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong questions = new AtomicLong();

  private RandomLogs(int count, Check check) {
    this.count = count;
    this.check = check;
  }

  /**
   * Checks many logs, and fails with the first one that doesn't pass.
   *
   * @param test the name of the test, for the line with the seed
   * @param usualCount how many logs, unless the system property says otherwise
   * @param leastQuestions how many questions there must be for each log on average
   * @param check the check; called by several threads
   */
  public static void check(String test, int usualCount, int leastQuestions, Check check) {
    int count = Integer.getInteger("whence.oracle.logs", usualCount);
    System.out.println(test + " seed=" + SEED + " logs=" + count);
    RandomLogs logs = new RandomLogs(count, check);

    IntStream.range(0, THREADS).parallel().forEach(logs::checkLogs);

    assertThat(logs.failures).isEmpty();
    assertThat(logs.questions.get())
        .isGreaterThan(ONLY_LOG < 0 ? (long) leastQuestions * count : 0);
  }

  private void checkLogs(int thread) {
    Path directory = Directories.temporary("whence-oracle");
    try {
      for (int index = thread; index < count && failures.isEmpty(); index += THREADS) {
        if (ONLY_LOG < 0 || ONLY_LOG == index) {
          questions.addAndGet(checkLog(directory, index));
        }
      }
    } finally {
      Directories.delete(directory);
    }
  }

  private long checkLog(Path directory, int index) {
    long seed = SEED * 31 + index;
    RandomLog log = new RandomLogGenerator(seed).generate();
    try {
      log.write(directory);
      try (TestLogs.Loaded loaded = load(log, directory, seed)) {
        return check.check(log, loaded.log(), seed);
      }
    } catch (AssertionError | RuntimeException e) {
      failures.add(
          "seed " + SEED + " log " + index + ": " + e + "\n" + firstFrames(e) + "\n" + log);
      return 0;
    }
  }

  private static TestLogs.Loaded load(RandomLog log, Path directory, long seed) {
    // Every eighth is loaded as archives are; the others with block boundaries and ends of their
    // own.
    boolean asArchive = log.highWatermark() == log.endOffset() && seed % 8 == 0;
    return asArchive
        ? TestLogs.loadArchive(directory, log.logStartOffset())
        : TestLogs.load(
            directory, log.indexIntervalBytes(), log.effectiveStartOffset(), log.highWatermark());
  }

  private static String firstFrames(Throwable failure) {
    StringBuilder frames = new StringBuilder();
    for (int i = 0; i < Math.min(8, failure.getStackTrace().length); i++) {
      frames.append("  at ").append(failure.getStackTrace()[i]).append('\n');
    }
    return frames.toString();
  }

  /** Checks one log. */
  @FunctionalInterface
  public interface Check {
    /** Asks about a log, compares, and returns how many questions there were. */
    long check(RandomLog log, LogSnapshot snapshot, long seed);
  }
}
