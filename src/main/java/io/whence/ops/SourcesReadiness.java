package io.whence.ops;

import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import java.util.Locale;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Tells over HTTP whether the server is ready, and how each source is. Thread safety: thread-safe.
 */
@Readiness
class SourcesReadiness implements HealthCheck {
  private final ServerReadiness readiness;

  SourcesReadiness(ServerReadiness readiness) {
    this.readiness = readiness;
  }

  @Override
  public HealthCheckResponse call() {
    ServerReadiness.Look look = readiness.look();
    HealthCheckResponseBuilder response = HealthCheckResponse.named("sources").status(look.ready());
    look.sources().forEach((name, health) -> describe(name, health, response));
    return response.build();
  }

  private static void describe(
      String name, SourceHealth health, HealthCheckResponseBuilder response) {
    response.withData(name, health.state().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    Partitions partitions = health.partitions();
    if (partitions.followed() > 0) {
      response
          .withData(name + ".partitions", partitions.followed())
          .withData(name + ".caught_up", partitions.caughtUp())
          .withData(name + ".answering", partitions.answering())
          .withData(name + ".failing", partitions.failing());
      partitions
          .oldestStalenessMs()
          .ifPresent(oldest -> response.withData(name + ".oldest_staleness_ms", oldest));
    }
    if (!health.reason().isEmpty()) {
      response.withData(name + ".reason", health.reason());
    }
  }
}
