package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.function.DoubleSupplier;

/**
 * Metrics of the certificates of the gRPC server; docs/metrics.md lists them. Thread safety:
 * thread-safe.
 */
@Singleton
public class TlsMetrics {
  private final MeterRegistry registry;
  private final Counter failures;

  /** Counts in a registry. */
  public TlsMetrics(MeterRegistry registry) {
    this.registry = registry;
    failures = TlsMetric.RELOAD_FAILURES.counter(registry);
  }

  /** Shows from now on for how many seconds the certificates of server and client CA are valid. */
  public void watch(DoubleSupplier secondsLeft, DoubleSupplier clientCaSecondsLeft) {
    TlsMetric.CERTIFICATE_EXPIRES_SECONDS.gauge(registry, secondsLeft);
    TlsMetric.CLIENT_CA_EXPIRES_SECONDS.gauge(registry, clientCaSecondsLeft);
  }

  /** Counts a look that found files that can't be used. */
  public void reloadFailed() {
    failures.increment();
  }
}
