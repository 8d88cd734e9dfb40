package io.whence.bench.steady;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TrendTest {
  private static List<Window> windows(long... heapBytes) {
    return IntStream.range(0, heapBytes.length)
        .mapToObj(i -> new Window(i, Map.of(), heapBytes[i], 0, 0, 0))
        .toList();
  }

  private static Trend trend(long... heapBytes) {
    return Trend.of("heap", windows(heapBytes), Window::heapBytes, 0.05, 1);
  }

  @Test
  void figure_thatGrowsByAThousandthAMinute_isFlat() {
    assertThat(trend(LongStream.range(0, 10).map(i -> 10_000 + 10 * i).toArray()).isFlat())
        .isTrue();
  }

  @Test
  void figure_thatGrowsByAHundredthAMinute_grows() {
    Trend trend = trend(LongStream.range(0, 10).map(i -> 10_000 + 100 * i).toArray());
    assertThat(trend.isFlat()).isFalse();
    assertThat(trend.growth()).isCloseTo(900, within(1e-6));
    assertThat(trend.first()).isCloseTo(10_000, within(1e-6));
  }

  @Test
  void figure_withOneHighValueAtTheEnd_isFlat() {
    assertThat(trend(100, 101, 100, 99, 100, 101, 100, 900).isFlat()).isTrue();
  }

  @Test
  void figure_thatShrinks_isFlat() {
    assertThat(trend(500, 400, 300, 200).isFlat()).isTrue();
  }

  @Test
  void window_alone_isRefused() {
    assertThatThrownBy(() -> trend(1)).isInstanceOf(IllegalArgumentException.class);
  }
}
