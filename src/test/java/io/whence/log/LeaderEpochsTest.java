package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class LeaderEpochsTest {
  private static final LeaderEpochs EPOCHS =
      new LeaderEpochs(
          List.of(new EpochEntry(3, 10), new EpochEntry(5, 80), new EpochEntry(9, 200)));

  @Test
  void epochWithALaterOne_endsWhereThatBegins() {
    assertThat(EPOCHS.endOf(3)).hasValue(80);
    assertThat(EPOCHS.endOf(4)).hasValue(80);
    assertThat(EPOCHS.endOf(5)).hasValue(200);
    assertThat(EPOCHS.endOf(8)).hasValue(200);
  }

  @Test
  void epochBeforeAll_orTheLast_orLater_notKnown() {
    assertThat(EPOCHS.endOf(2)).isEmpty();
    assertThat(EPOCHS.endOf(9)).isEmpty();
    assertThat(EPOCHS.endOf(10)).isEmpty();
    assertThat(LeaderEpochs.NONE.endOf(0)).isEqualTo(OptionalLong.empty());
    assertThat(new LeaderEpochs(List.of(new EpochEntry(3, 10))).endOf(3)).isEmpty();
  }
}
