package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.source.kafka.CleaningQuestions.LeaderSize;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CleaningMeasureTest {
  private static final CleaningMeasure BEFORE = measure(1, 1_000, 10, 500, 10);

  private static CleaningMeasure measure(
      int leaderId, long sizeBytes, long fetchedOffset, long fetchedBytes, long endOffset) {
    return new CleaningMeasure(
        Optional.of(new LeaderSize(leaderId, sizeBytes)),
        new Fetched(fetchedOffset, fetchedBytes),
        endOffset);
  }

  @Test
  void grownByWhatWasFetched_nothingRemoved() {
    assertThat(BEFORE.provesNothingRemovedSince(BEFORE)).isTrue();
    assertThat(measure(1, 1_300, 14, 800, 14).provesNothingRemovedSince(BEFORE)).isTrue();
  }

  @Test
  void grownByLess_perhapsRemoved() {
    assertThat(measure(1, 1_299, 14, 800, 14).provesNothingRemovedSince(BEFORE)).isFalse();
    assertThat(measure(1, 900, 10, 500, 10).provesNothingRemovedSince(BEFORE)).isFalse();
  }

  @Test
  void moreIsThereThanWasFetched_proofNeedsAll() {
    // 300 bytes more were written and 300 removed.
    assertThat(measure(1, 1_300, 14, 800, 17).provesNothingRemovedSince(BEFORE)).isFalse();
  }

  @Test
  void fetchedTooLateForTheMeasureBefore_perhapsRemoved() {
    // 100 of the bytes were there before, but not fetched yet.
    assertThat(measure(1, 1_200, 14, 800, 14).provesNothingRemovedSince(BEFORE)).isFalse();
  }

  @Test
  void anotherLeader_orNothingTold_perhapsRemoved() {
    CleaningMeasure untold = new CleaningMeasure(Optional.empty(), BEFORE.fetched(), 10);

    assertThat(measure(2, 1_000, 10, 500, 10).provesNothingRemovedSince(BEFORE)).isFalse();
    assertThat(untold.provesNothingRemovedSince(BEFORE)).isFalse();
    assertThat(BEFORE.provesNothingRemovedSince(untold)).isFalse();
    assertThat(BEFORE.provesNothingRemovedSince(null)).isFalse();
  }
}
