package io.whence.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.whence.model.ErrorReason;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class CallMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final CallMetrics metrics = new CallMetrics(registry);

  private double appends(String result) {
    return registry.get("whence.appends").tag("result", result).counter().count();
  }

  @Test
  void appends_areCountedByResult_thereBeforeTheFirst() {
    assertThat(appends("appended")).isZero();
    assertThat(appends("storage_full")).isZero();

    metrics.appends("appended", 3);
    metrics.appends("storage_full", 2);
    metrics.appends("conflict", 1);

    assertThat(appends("appended")).isEqualTo(3);
    assertThat(appends("storage_full")).isEqualTo(2);
    assertThat(appends("conflict")).as("appears when it happens").isEqualTo(1);
  }

  @Test
  void resultsOfAppends_areReasonsThatThereAre() {
    assertThat(CallMetrics.APPEND_RESULTS)
        .doesNotHaveDuplicates()
        .startsWith("appended")
        .filteredOn(result -> !result.equals("appended"))
        .allSatisfy(
            result ->
                assertThat(ErrorReason.valueOf(result.toUpperCase(Locale.ROOT)).name())
                    .isEqualToIgnoringCase(result));
  }
}
