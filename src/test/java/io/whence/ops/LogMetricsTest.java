package io.whence.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LogMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final LogMetrics metrics = new LogMetrics(registry);

  @Test
  void damageThatAReaderFinds_countsAsAWarning_thereBeforeTheFirst() {
    assertThat(registry.get("whence.log.warnings").counter().count()).isZero();

    metrics.damaged(Path.of("/d/t-0/0.log"), 42, "CRC-32C 0x1", "CRC-32C 0x2");

    assertThat(registry.get("whence.log.warnings").counter().count()).isEqualTo(1);
  }

  @Test
  void damages_areThoseOfNow() {
    AtomicInteger damages = new AtomicInteger();
    metrics.watchDamages(damages::get);
    assertThat(registry.get("whence.log.damages").gauge().value()).isZero();
    damages.set(3);
    assertThat(registry.get("whence.log.damages").gauge().value()).isEqualTo(3);
    damages.set(0);
    assertThat(registry.get("whence.log.damages").gauge().value()).isZero();
  }
}
