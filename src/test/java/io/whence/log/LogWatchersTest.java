package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Directories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogWatchersTest {
  private final Path directory = Directories.temporary("whence-watchers");
  private final List<String> told = new ArrayList<>();
  private OwnedLog owned = OwnedLog.open(directory.resolve("t-0"), "segment.bytes", 1024);

  @AfterEach
  void delete() {
    owned.close();
    Directories.delete(directory);
  }

  @Test
  void recordsBelowTheTarget_nobodyIsTold() {
    watch("a", 100);

    owned.append(50, 99);

    assertThat(told).isEmpty();
  }

  @Test
  void recordsAtTheTarget_toldEachTimeUntilClosed() {
    LogWatch watch = watch("a", 100);
    watch("b", 201);

    owned.append(100);
    owned.append(200);
    assertThat(told).containsExactly("a", "a");
    watch.close();
    watch.close();
    owned.append(201);

    assertThat(told).containsExactly("a", "a", "b");
    assertThat(owned.log().watchCount()).isEqualTo(1);
  }

  @Test
  void recordsThatAreNotOnDisk_toldOnlyWhenTheyAre() {
    watch("a", 100);
    owned.holdFlushes();

    var append = owned.start(100);
    assertThat(told).isEmpty();
    owned.releaseFlushes();

    assertThat(append).isCompleted();
    assertThat(told).containsExactly("a");
  }

  @Test
  void largestOfAllTargets_isToldLikeAnother() {
    watch("a", Long.MAX_VALUE);

    owned.append(Long.MAX_VALUE);

    assertThat(told).containsExactly("a");
  }

  @Test
  void trim_nobodyIsTold() throws IOException {
    owned.append(100, 200);
    watch("a", 100);

    owned.log().trim(1, (partition, offset) -> {});

    assertThat(told).isEmpty();
  }

  @Test
  void abandonedLog_allAreTold() throws IOException {
    watch("a", 100);
    watch("b", Long.MAX_VALUE);

    owned.log().abandon();

    assertThat(told).containsExactly("a", "b");
  }

  @Test
  void randomAppendsOverManySegments_eachTargetIsToldOnceItIsThere() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long largestMs = Long.MIN_VALUE;
    for (int i = 0; i < 50; i++) {
      watch(String.valueOf(i), i * 10L);
    }
    for (int i = 0; i < 200; i++) {
      long ms = random.nextInt(i * 3 + 1);
      owned.append(ms, random.nextInt(5));
      largestMs = Math.max(largestMs, ms);
      for (int target = 0; target < 50 && target * 10L <= largestMs; target++) {
        assertThat(told).as("seed %d", seed).contains(String.valueOf(target));
      }
    }
    long largest = largestMs;
    assertThat(told)
        .as("seed %d", seed)
        .allSatisfy(target -> assertThat(Long.parseLong(target) * 10).isLessThanOrEqualTo(largest));
    assertThat(owned.snapshot().segments().size()).isGreaterThan(10);
    assertThat(owned.snapshot().largestTimestampMs(0)).isEqualTo(largest);
    assertThat(owned.snapshot().largestTimestampMs(owned.snapshot().highWatermark()))
        .isEqualTo(Long.MIN_VALUE);
  }

  private LogWatch watch(String name, long targetMs) {
    return owned.log().watch(targetMs, () -> told.add(name));
  }
}
