package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compacts random logs again and again, beside a map. */
class CompactionOracleTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final int LOGS = 8;

  @TempDir private Path directory;

  @Test
  void randomLogs_compactedAndReopened_holdAndAnswerWhatIsKept() {
    System.out.println("CompactionOracleTest seed=" + SEED);
    long removed = 0;
    for (int i = 0; i < LOGS; i++) {
      removed += checkLog(i);
    }
    assertThat(removed).isGreaterThan(LOGS);
  }

  private long checkLog(int number) {
    Random random = new Random(SEED * 31 + number);
    int segmentBytes = 1024 + random.nextInt(4000);
    int interval = List.of(0, 100, 500, 4096).get(random.nextInt(4));
    long removed = 0;
    Path path = directory.resolve(String.valueOf(number));
    try (CompactedLog log =
        new CompactedLog(
            path, random, "segment.bytes", segmentBytes, "index.interval.bytes", interval)) {
      log.owned.checkpointBytes = 500;
      for (int round = 0; round < 4; round++) {
        log.appendRandom(random.nextInt(70));
        removed += log.compact(keeper(random, log));
        log.assertExact();
        open(random, log.owned);
        log.assertExact();
        assertSettles(log);
      }
      assertThat(log.owned.warnings).as("seed %s log %s", SEED, number).isEmpty();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + SEED + " log " + number, e);
    }
    return removed;
  }

  private static void open(Random random, OwnedLog owned) {
    switch (random.nextInt(3)) {
      case 0 -> owned.load();
      case 1 -> owned.reopen();
      default -> {}
    }
  }

  private static LongPredicate keeper(Random random, CompactedLog log) {
    long seed = random.nextLong();
    double share = List.of(0.0, 0.02, 0.3, 0.5, 0.95, 1.0).get(random.nextInt(6));
    if (random.nextInt(4) == 0) {
      return latestOfKey(log);
    }
    return offset -> new Random(seed + offset * 7919).nextDouble() < share;
  }

  /** Keeps, of each key, the latest record, and none with a null value. */
  private static LongPredicate latestOfKey(CompactedLog log) {
    Map<String, Long> latest = new HashMap<>();
    log.contents.forEach((offset, text) -> latest.put(keyOf(text), offset));
    Map<Long, String> texts = Map.copyOf(log.contents);
    return offset -> {
      String text = texts.get(offset);
      return !text.contains("]null") && latest.get(keyOf(text)) == offset;
    };
  }

  private static String keyOf(String text) {
    return text.substring(text.indexOf(' '), Math.max(text.indexOf(']'), text.indexOf(' ')));
  }

  /** Compacting without dropping comes to an end: then nothing is rewritten. */
  private static void assertSettles(CompactedLog log) {
    List<Long> before;
    int deletions;
    int tries = 0;
    do {
      before = log.owned.baseOffsets();
      deletions = log.owned.deletions.size();
      assertThat(log.compact(offset -> true)).isZero();
      assertThat(tries++).isLessThan(5);
    } while (log.owned.deletions.size() > deletions);
    assertThat(log.owned.baseOffsets()).isEqualTo(before);
    log.assertExact();
  }
}
