package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PreloadTest extends PreloadFixture {
  @Test
  void start_withRoomForAll_loadsAllAndTellsHowFarItIs() throws InterruptedException {
    OwnedLog log = closedLog("a", 30, 1000);

    Preload preload = open(all(1 << 20));

    PreloadStatus status = preload.status();
    assertThat(status.settled()).isTrue();
    assertThat(status.loadedCount()).isEqualTo(30);
    assertThat(status.unloadedCount()).isZero();
    assertThat(status.loadedBytes()).isEqualTo(bytesInMemory(logs));
    assertThat(preload.warning()).isEmpty();
    assertThat(heard).contains("progressed s 29/29").hasSizeLessThan(40);
    log.disk.resetReadBytes();
    log.assertExact();
    closeAll();
  }

  @Test
  void start_withLittleRoom_loadsTheNewestOfAllLogs() throws InterruptedException {
    OwnedLog older = closedLog("a", 10, 1000);
    OwnedLog newer = closedLog("b", 10, 1_000_000);
    open(all(1 << 20));
    long one = older.snapshot().segments().get(0).timelineBytes();
    long budget = bytesInMemory(logs) - 4 * one;
    closeAll();

    Preload preload = open(all(budget));

    assertThat(loadedBases(newer)).isEqualTo(newer.baseOffsets());
    List<Long> bases = older.baseOffsets();
    int loaded = loadedBases(older).size();
    assertThat(loaded).isBetween(4, 7);
    assertThat(loadedBases(older)).isEqualTo(bases.subList(bases.size() - loaded, bases.size()));
    assertThat(preload.status().unloadedCount()).isEqualTo(10 - loaded);
    assertThat(preload.warning().orElseThrow()).startsWith(10 - loaded + " of 20 segments");
    assertThat(bytesInMemory(logs)).isLessThanOrEqualTo(budget);
    older.assertExact();
    closeAll();
  }

  @Test
  void look_roomTakenAndGivenBack_dropsTheOldestAndLoadsThemAgain() throws InterruptedException {
    OwnedLog log = closedLog("a", 10, 1000);
    open(all(1 << 20));
    long needed = bytesInMemory(logs);
    closeAll();
    Preload preload = open(all(needed));
    List<Long> before = loadedBases(log);
    assertThat(before).hasSize(10);

    while (log.baseOffsets().size() < 14) {
      log.append(5000, 5001, 5002);
    }
    while (preload.look(NOW_MS)) {}

    assertThat(loadedBases(log)).doesNotContain(0L).containsAll(log.baseOffsets().subList(8, 14));
    assertThat(heard).contains("dropped 0");
    assertThat(bytesInMemory(logs)).isLessThanOrEqualTo(needed);
    log.assertExact();

    log.trim(log.baseOffsets().get(7));
    while (preload.look(NOW_MS)) {}

    assertThat(loadedBases(log)).isEqualTo(log.baseOffsets());
    assertThat(preload.status().unloadedCount()).isZero();
    log.assertExact();
    closeAll();
  }

  @Test
  void lazy_loadsWhatLookupsMissed() throws InterruptedException {
    OwnedLog log = closedLog("a", 10, 1000);

    Preload preload = open(new PreloadOptions(1 << 20, PreloadOptions.Mode.LAZY, 0));

    assertThat(loadedBases(log)).hasSize(1);
    assertThat(preload.status().settled()).isTrue();
    assertThat(preload.warning()).isEmpty();
    SegmentView wanted = log.snapshot().views().get(4);
    long ms = wanted.index().timestamps().minMs();
    assertThat(search(log, ms)).isEqualTo(TimelineSearch.Result.NOT_LOADED);
    preload.look(NOW_MS);
    assertThat(search(log, ms)).isEqualTo(TimelineSearch.Result.FOUND);
    assertThat(loadedBases(log)).hasSize(2);
    closeAll();
  }

  @Test
  void recent_startWaitsForThoseAlone() throws InterruptedException {
    OwnedLog old = closedLog("a", 5, 1000);
    OwnedLog recent = closedLog("b", 5, Duration.ofDays(3).toMillis());

    Preload preload =
        open(
            new PreloadOptions(1 << 20, PreloadOptions.Mode.RECENT, Duration.ofDays(1).toMillis()));

    assertThat(loadedBases(recent)).hasSize(5);
    assertThat(loadedBases(old)).as("but the active one").hasSize(1);
    assertThat(preload.status().settled()).isTrue();
    while (preload.look(NOW_MS)) {}
    assertThat(loadedBases(old)).hasSize(5);
    closeAll();
  }

  @Test
  void recent_timestampAfterTheClock_isNotWhatIsRecent() throws InterruptedException {
    long nowMs = Duration.ofDays(3).toMillis() + 1_000;
    OwnedLog recent = closedLog("b", 5, Duration.ofDays(3).toMillis());
    OwnedLog future = closedLog("f", 3, Duration.ofDays(30_000).toMillis());
    PreloadOptions options =
        new PreloadOptions(1 << 20, PreloadOptions.Mode.RECENT, Duration.ofDays(1).toMillis());

    open(options, nowMs);

    assertThat(loadedBases(recent)).hasSize(5);
    assertThat(loadedBases(future)).hasSize(3);
    closeAll();
  }

  @Test
  void reserved_countsAndLeavesLessRoom() throws InterruptedException {
    OwnedLog log = closedLog("a", 6, 1000);
    Preload preload = open(all(1 << 20));
    long all = preload.status().loadedBytes();

    assertThat(preload.reserve((1 << 20) - all / 2)).isFalse();
    assertThat(preload.reserve(1000)).isTrue();
    preload.look(NOW_MS);

    assertThat(preload.status().loadedBytes()).isEqualTo(all + 1000);
    assertThat(loadedBases(log)).hasSize(6);
    closeAll();
  }

  @Test
  void start_timelinesMissingAndLogDamaged_isPartialAndGoesOnBehind()
      throws IOException, InterruptedException {
    OwnedLog log = closedLog("a", 6, 1000);
    List<Long> bases = log.snapshot().segments().stream().map(SegmentInfo::baseOffset).toList();
    Files.delete(log.file(bases.get(1), ".timeline"));
    Files.delete(log.file(bases.get(2), ".timeline"));
    byte[] bytes = Files.readAllBytes(log.file(bases.get(2), ".log"));
    bytes[100] ^= 1;
    Files.write(log.file(bases.get(2), ".log"), bytes);

    Preload preload = open(all(1 << 20));

    assertThat(preload.status().unloadedCount()).as("nobody waits for a scan").isEqualTo(2);
    assertThat(preload.warning()).isPresent();
    preload.look(NOW_MS);
    preload.look(NOW_MS);
    assertThat(heard)
        .contains("rebuilt " + log.file(bases.get(1), ".log").getFileName())
        .contains("loaded " + bases.get(1))
        .containsOnlyOnce("failed " + bases.get(2) + " DAMAGED_LOG");
    assertThat(log.file(bases.get(1), ".timeline")).exists();
    assertThat(preload.status().failedCount()).isEqualTo(1);
    assertThat(loadedBases(log)).hasSize(5).doesNotContain(bases.get(2));
    closeAll();
  }

  @Test
  void load_diskFailsForAWhile_isTriedAgain() throws IOException, InterruptedException {
    OwnedLog log = closedLog("a", 3, 1000);
    Files.delete(log.file(0, ".timeline"));
    Preload preload = open(all(1 << 20));
    log.disk.failsReads = true;
    preload.look(NOW_MS);
    assertThat(heard).contains("failed 0 STORAGE_ERROR");
    log.disk.failsReads = false;
    preload.look(NOW_MS);
    assertThat(loadedBases(log)).as("after a pause").doesNotContain(0L);

    for (int i = 0; i < 10; i++) {
      preload.look(NOW_MS);
    }

    assertThat(loadedBases(log)).hasSize(3);
    assertThat(preload.status().failedCount()).isZero();
    closeAll();
  }

  @Test
  void budget_underRandomAppendsTrimsAndRetention_isNeverExceeded() throws InterruptedException {
    long seed = System.nanoTime();
    System.out.println("PreloadTest seed=" + seed);
    Random random = new Random(seed);
    for (String name : List.of("a", "b", "c")) {
      OwnedLog owned =
          OwnedLog.open(directory.resolve(name), "segment.bytes", 1024, "retention.bytes", 20_000);
      owned.append(1);
      owned.close();
      logs.add(owned);
    }
    long budget = 30_000;
    Preload preload = open(all(budget));
    for (int i = 0; i < 300; i++) {
      OwnedLog log = logs.get(random.nextInt(logs.size()));
      change(log, random);
      preload.look(NOW_MS);
      assertThat(bytesInMemory(logs)).as("round %d", i).isLessThanOrEqualTo(budget);
      assertNewestFirst();
      if (i % 20 == 0) {
        log.assertExact();
      }
    }
    assertThat(heard).anyMatch(event -> event.startsWith("dropped"));
    assertThat(heard).anyMatch(event -> event.startsWith("loaded"));
    for (OwnedLog log : logs) {
      log.reopen().assertExact();
    }
    closeAll();
  }

  private static void change(OwnedLog log, Random random) {
    switch (random.nextInt(12)) {
      case 0 -> {
        LogSnapshot now = log.snapshot();
        int visible = (int) (now.highWatermark() - now.logStartOffset());
        log.trim(now.logStartOffset() + random.nextInt(visible + 1));
      }
      case 1 -> log.retain();
      default -> {
        for (int i = random.nextInt(12); i >= 0; i--) {
          log.append(times(random));
        }
      }
    }
  }

  private static long[] times(Random random) {
    return random.longs(1 + random.nextInt(30), 0, 1_000_000).toArray();
  }

  /** Whatever is in memory is as new as whatever is not, but for sizes at the cut. */
  private void assertNewestFirst() {
    long newestUnloaded =
        sealed()
            .filter(info -> !info.preloaded())
            .mapToLong(info -> info.timestamps().maxMs())
            .max()
            .orElse(Long.MIN_VALUE);
    assertThat(
            sealed()
                .filter(SegmentInfo::preloaded)
                .allMatch(info -> info.timestamps().maxMs() >= newestUnloaded))
        .isTrue();
  }

  private Stream<SegmentInfo> sealed() {
    return logs.stream()
        .flatMap(log -> log.snapshot().segments().stream())
        .filter(info -> !info.active());
  }

  @Test
  void answers_whileTimelinesComeAndGo_areExact() throws Exception {
    OwnedLog log = closedLog("a", 20, 1000);
    open(all(1 << 20));
    List<SegmentView> views = log.snapshot().views();
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      Future<Integer> drops =
          pool.submit(
              () -> {
                Random random = new Random(1);
                int count = 0;
                while (!done.get()) {
                  SegmentView view = views.get(random.nextInt(views.size() - 1));
                  if (view.slot().drop()) {
                    count++;
                  } else {
                    StoredBlocks stored = (StoredBlocks) view.index().blocks();
                    view.slot().set(Optional.of(stored.files().readTimeline()));
                  }
                }
                return count;
              });
      for (int i = 0; i < 15; i++) {
        log.assertExact();
      }
      done.set(true);
      assertThat(drops.get(60, TimeUnit.SECONDS)).isPositive();
    } finally {
      done.set(true);
      pool.shutdownNow();
    }
    closeAll();
  }

  @Test
  void start_1010Segments_readsNoLogButTheHeadersAndTheActiveOne() throws InterruptedException {
    OwnedLog log = closedLog("a", 1010, 1000);

    log.disk.resetReadBytes();
    Preload preload = open(all(64 << 20));

    assertThat(preload.status().loadedCount()).isEqualTo(1010);
    assertThat(log.disk.readBytes()).isLessThanOrEqualTo(1010 * 61L + 1024);
    closeAll();
  }
}
