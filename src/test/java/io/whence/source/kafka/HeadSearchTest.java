package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeadSearchTest {
  private static final long NOT_PROVEN = Long.MAX_VALUE;
  private static final long BASE_MS = 1_700_000_000_000L;

  @Test
  void orderedLog_provenInOneRound_thenExact() {
    FakeLeaders.Log log = new FakeLeaders.Log();
    for (int i = 0; i < 100; i++) {
      log.add(BASE_MS + i * 1_000L);
    }
    Run run = new Run(log, 50);
    run.step();
    assertThat(run.search.provenMs()).isBetween(BASE_MS + 49_001, BASE_MS + 65_000);

    run.toEnd();
    assertThat(run.search.isExact()).isTrue();
    assertThat(run.search.provenMs()).isEqualTo(BASE_MS + 49_001);
    assertThat(run.rounds).isLessThan(30);
  }

  @Test
  void headWithLaterRecords_waitsForRecordsThatAreLater() {
    FakeLeaders.Log log = new FakeLeaders.Log().add(1_000, 9_000, 2_000, 3_000);
    Run run = new Run(log, 2);
    run.toEnd();
    assertThat(run.search.provenMs()).isEqualTo(NOT_PROVEN);
    int before = run.rounds;
    run.toEnd();
    assertThat(run.rounds).as("nothing more to ask").isEqualTo(before);

    log.add(9_000);
    run.toEnd();
    assertThat(run.rounds).as("not late enough").isEqualTo(before);
    log.add(9_500);
    run.toEnd();
    assertThat(run.search.provenMs()).isEqualTo(9_001);
    assertThat(run.search.isExact()).isTrue();
  }

  @Test
  void headWithoutTimes_isBelowEveryTime() {
    FakeLeaders.Log log = new FakeLeaders.Log().add(-1, -1, 5_000, 6_000);
    Run run = new Run(log, 2);
    run.toEnd();
    assertThat(run.search.provenMs()).isZero();
    assertThat(run.search.isExact()).isTrue();
  }

  @Test
  void provenElsewhere_goesOnFromThere() {
    FakeLeaders.Log log = new FakeLeaders.Log().add(1_000, 1_500, 2_000, 90_000);
    Run run = new Run(log, 2);
    run.search.proven(1_800);
    run.toEnd();
    assertThat(run.search.provenMs()).isEqualTo(1_501);
  }

  @Test
  void nothingFound_provesNothing_andLowerTimesAreTried() {
    // What is followed reaches up to 5,000, but a record that is gone makes it look later.
    FakeLeaders.Log log = new FakeLeaders.Log().add(1_000, 2_000, 3_000, 5_000);
    Run run = new Run(log, 2);
    run.largestMs = 1_000_000;
    run.toEnd();
    assertThat(run.search.provenMs()).isEqualTo(2_001);
  }

  @Test
  void randomLogs_neverProvenWrongly_andExactWhereLeadersAnswerAll() {
    long seed = System.nanoTime();
    System.out.println("HeadSearchTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 3_000; round++) {
      FakeLeaders.Log log = new FakeLeaders.Log();
      int count = 2 + random.nextInt(60);
      int disorderMs = 1 + random.nextInt(200_000);
      for (int i = 0; i < count; i++) {
        log.add(random.nextInt(20) == 0 ? -1 : BASE_MS + i * 700L + random.nextInt(disorderMs));
      }
      Run run = new Run(log, 1 + random.nextInt(count - 1));
      run.silence = random.nextInt(3) == 0 ? random.nextDouble() * 0.3 : 0;
      run.random = random;
      run.toEnd();
      long exactMs = run.exactMs();
      assertThat(run.search.provenMs())
          .as("seed %d round %d", seed, round)
          .isGreaterThanOrEqualTo(exactMs);
      if (run.silence == 0) {
        long expected = run.largestFollowedMs() >= exactMs ? exactMs : NOT_PROVEN;
        assertThat(run.search.provenMs()).as("seed %d round %d", seed, round).isEqualTo(expected);
      }
      assertThat(run.rounds).as("seed %d round %d", seed, round).isLessThan(120);
    }
  }

  /** A search in a log of which what lies below an offset is not followed. */
  private static final class Run {
    final FakeLeaders.Log log;
    final long endOffset;
    final HeadSearch search;
    Random random = new Random(1);

    /** How often nothing is found although there is something. */
    double silence;

    long largestMs = Long.MIN_VALUE;
    int rounds;

    Run(FakeLeaders.Log log, long endOffset) {
      this.log = log;
      this.endOffset = endOffset;
      this.search = new HeadSearch(endOffset, NOT_PROVEN, log.records.get(endOffset));
    }

    long exactMs() {
      return Math.max(
          0,
          log.records.headMap(endOffset).values().stream().mapToLong(ms -> ms + 1).max().orElse(0));
    }

    long largestFollowedMs() {
      return log.records.tailMap(endOffset).values().stream().mapToLong(ms -> ms).max().orElse(-1);
    }

    void toEnd() {
      for (int i = 0; i < 200 && step(); i++) {
        assertThat(search.provenMs()).isGreaterThanOrEqualTo(exactMs());
      }
    }

    boolean step() {
      long reachMs = Math.max(largestMs, largestFollowedMs());
      OptionalLong next = search.isExact() ? OptionalLong.empty() : search.next(reachMs);
      next.ifPresent(
          ms -> {
            rounds++;
            assertThat(ms).isBetween(0L, Math.max(reachMs, search.provenMs() - 1));
            search.answered(ms, find(ms), reachMs);
          });
      return next.isPresent();
    }

    private LeaderOffset find(long ms) {
      if (random.nextDouble() < silence) {
        return new LeaderOffset(-1, -1, -1);
      }
      return log.records.entrySet().stream()
          .filter(each -> each.getValue() >= ms)
          .findFirst()
          .map(each -> new LeaderOffset(each.getKey(), each.getValue(), 0))
          .orElse(new LeaderOffset(-1, -1, -1));
    }
  }
}
