package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrpcTimeoutTest {
  @ParameterizedTest
  @CsvSource({
    "1H, 3600000",
    "2M, 120000",
    "5S, 5000",
    "250m, 250",
    "99000000u, 99000",
    "99000000n, 99"
  })
  void units_areThoseOfTheProtocol(String timeout, long millis) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    assertThat(GrpcTimeout.hasPassed(timeout, nanos)).isTrue();
    assertThat(GrpcTimeout.hasPassed(timeout, nanos / 2)).isFalse();
  }

  @Test
  void nearlyPassed_isPassed() {
    assertThat(GrpcTimeout.hasPassed("10S", TimeUnit.MILLISECONDS.toNanos(9_001))).isTrue();
    assertThat(GrpcTimeout.hasPassed("10S", TimeUnit.MILLISECONDS.toNanos(8_999))).isFalse();
    assertThat(GrpcTimeout.hasPassed("15m", 0)).isTrue();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "m", "5", "5x", "-5m", "123456789m", "5 m"})
  void noTimeout_neverPasses(String timeout) {
    assertThat(GrpcTimeout.hasPassed(timeout, TimeUnit.DAYS.toNanos(300))).isFalse();
  }
}
