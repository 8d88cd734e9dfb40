package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.IsolationLevel;
import io.whence.testkit.OracleRecord;
import io.whence.timeline.TimelineHit;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PreloadedHeadTest extends PreloadFixture {
  /** Looks up the first record at or after each time, which memory alone must answer. */
  private static void assertAnsweredFromMemory(OwnedLog log) {
    long start = log.snapshot().logStartOffset();
    TimelineSearch search = log.snapshot().timelines(IsolationLevel.READ_UNCOMMITTED);
    for (long ms = 900; ms < 1400; ms += 7) {
      long targetMs = ms;
      TimelineHit hit = new TimelineHit();
      TimelineSearch.Result result = search.firstAtOrAfter(ms, hit);
      Optional<Long> expected =
          log.records.stream()
              .filter(r -> r.offset() >= start && r.timestampMs() >= targetMs)
              .map(OracleRecord::offset)
              .findFirst();
      assertThat(result).as("time %d", ms).isNotEqualTo(TimelineSearch.Result.NOT_LOADED);
      assertThat(Optional.of(hit).filter(TimelineHit::isFound).map(TimelineHit::offset))
          .isEqualTo(expected);
    }
  }

  @Test
  void head_trimmedBetweenPlanAndLoad_isCutAllTheSame() throws InterruptedException {
    OwnedLog log = closedLog("a", 4, 1000);
    open(new PreloadOptions(1 << 20, PreloadOptions.Mode.LAZY, 0));
    assertThat(loadedBases(log)).hasSize(1);
    log.snapshot().views().get(0).slot().want();
    boolean[] trimmed = {false};
    Preload preload = new Preload(all(1 << 20), PreloadEvents.NOOP);
    preload.add(
        new PreloadSource() {
          @Override
          public String name() {
            return "s";
          }

          @Override
          public List<Log> preloadedLogs() {
            List<Log> seen = source().preloadedLogs();
            // The second time is that of the plan.
            if (trimmed[0]) {
              log.trim(2);
            }
            trimmed[0] = true;
            return seen;
          }
        });

    preload.look(NOW_MS);

    assertThat(log.snapshot().logStartOffset()).isEqualTo(2);
    assertAnsweredFromMemory(log);
    closeAll();
  }

  @Test
  void head_compacted_isCutAgain() throws IOException, InterruptedException {
    OwnedLog log = closedLog("a", 4, 1000);
    open(all(1 << 20));
    log.trim(2);
    assertAnsweredFromMemory(log);

    assertThat(log.log().compact((batch, record) -> record.offset() % 5 != 4)).isPositive();
    long sealedEnd = log.baseOffsets().get(log.baseOffsets().size() - 1);
    log.records.removeIf(r -> r.offset() % 5 == 4 && r.offset() < sealedEnd);

    assertAnsweredFromMemory(log);
    closeAll();
  }

  @Test
  void head_futureTimestampBelowTheStart_isCutInActiveAndSealedSegments()
      throws InterruptedException {
    OwnedLog owned = OwnedLog.open(directory.resolve("a"), "segment.bytes", 1 << 17);
    logs.add(owned);
    Preload preload = open(all(1 << 20));
    owned.append(9_000_000_000L);
    for (int i = 0; i < 4; i++) {
      owned.append(LongStream.range(0, 500).map(k -> 1000 + k).toArray());
    }
    owned.trim(1);
    assertAnsweredFromMemory(owned);
    owned.trim(1300);
    assertAnsweredFromMemory(owned);
    while (owned.baseOffsets().size() < 2) {
      owned.append(LongStream.range(0, 500).map(k -> 1000 + k).toArray());
    }
    preload.look(NOW_MS);
    assertAnsweredFromMemory(owned);
    closeAll();
  }

  @Test
  void head_longWhileActive_isCutAtOnceAndWhenSealed() throws InterruptedException {
    OwnedLog owned = OwnedLog.open(directory.resolve("a"), "segment.bytes", 1 << 20);
    logs.add(owned);
    Preload preload = open(all(1 << 20));
    owned.append(9_000_000_000L);
    for (int i = 0; i < 4; i++) {
      owned.append(LongStream.range(0, 5000).map(k -> 1000 + k % 300).toArray());
    }
    owned.trim(1);
    assertAnsweredFromMemory(owned);
    assertThat(loadedBases(owned)).as("shown as preloaded").hasSize(1);
    while (owned.baseOffsets().size() < 2) {
      owned.append(LongStream.range(0, 5000).map(k -> 1000 + k % 200).toArray());
    }

    preload.look(NOW_MS);

    assertAnsweredFromMemory(owned);
    owned.reopen();
    assertAnsweredFromMemory(owned);
    closeAll();
  }
}
