package io.whence.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SampleTest {
  @Test
  void calls_ofHundred_giveTheFiftiethAndTheNinetyNinth() {
    long[] downFrom100Ms = LongStream.range(0, 100).map(i -> (100 - i) * 1_000_000).toArray();
    assertThat(Sample.of(downFrom100Ms, 2_000_000_000L)).isEqualTo(new Sample(50, 99, 50));
  }

  @Test
  void calls_one_isAllThereIs() {
    assertThat(Sample.of(new long[] {3_000_000}, 3_000_000))
        .isEqualTo(new Sample(3, 3, 1e9 / 3_000_000));
  }

  @Test
  void calls_none_areRefused() {
    assertThatThrownBy(() -> Sample.of(new long[0], 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void median_ofThreeRounds_isOfEachFigure() {
    assertThat(
            Sample.median(
                List.of(new Sample(1, 9, 300), new Sample(3, 7, 100), new Sample(2, 8, 200))))
        .isEqualTo(new Sample(2, 8, 200));
  }

  @Test
  void median_ofTwoRounds_liesBetween() {
    assertThat(Sample.median(List.of(new Sample(1, 2, 10), new Sample(2, 4, 20))))
        .isEqualTo(new Sample(1.5, 3, 15));
  }
}
