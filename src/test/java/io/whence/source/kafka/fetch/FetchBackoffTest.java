package io.whence.source.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FetchBackoffTest {
  @ParameterizedTest
  @CsvSource({
    "-1,0,0",
    "0,0,0",
    "1,90,110",
    "2,180,220",
    "7,5760,7040",
    "8,9000,11000",
    "31,9000,11000",
    "2147483647,9000,11000"
  })
  void wait_doublesUpToTheLongest(int retry, long least, long most) {
    for (int salt : new int[] {0, 1, -1, 12345, Integer.MIN_VALUE}) {
      assertThat(FetchBackoff.DEFAULT.millis(retry, salt)).isBetween(least, most);
    }
  }

  @Test
  void waitsOfMany_differ() {
    long different =
        IntStream.range(0, 100)
            .mapToLong(i -> FetchBackoff.DEFAULT.millis(8, i))
            .distinct()
            .count();

    assertThat(different).isGreaterThan(50);
  }

  @ParameterizedTest
  @CsvSource({"1,1000", "2,2000", "6,32000", "7,60000", "100,60000"})
  void refusals_waitUpToAMinute(int refusals, long millis) {
    assertThat(FetchBackoff.DEFAULT.accessMillis(refusals)).isEqualTo(millis);
  }

  @Test
  void wrongOrder_isRefused() {
    Duration second = Duration.ofSeconds(1);

    assertThatThrownBy(() -> new FetchBackoff(second, Duration.ofMillis(999), second))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FetchBackoff(Duration.ZERO, second, second))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
