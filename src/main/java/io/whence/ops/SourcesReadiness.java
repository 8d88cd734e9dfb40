package io.whence.ops;

import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.SourceHealth.State;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Ready once no source is loading any more and one answers; from then on for as long as anything is
 * answered. Says how each source is. Thread safety: thread-safe.
 */
@Readiness
class SourcesReadiness implements HealthCheck {
  private final SourceStates states;

  /** Whether it was ready before: a cluster that comes back is no reason to send calls away. */
  private volatile boolean wasReady;

  SourcesReadiness(SourceStates states) {
    this.states = states;
  }

  @Override
  public HealthCheckResponse call() {
    Map<String, SourceHealth> sources = states.healthByName();
    boolean serving = sources.values().stream().anyMatch(SourceHealth::isServing);
    boolean loading = sources.values().stream().anyMatch(one -> one.state() == State.LOADING);
    boolean ready = states.isServing() && serving && (wasReady || !loading);
    wasReady |= ready;
    HealthCheckResponseBuilder response = HealthCheckResponse.named("sources").status(ready);
    sources.forEach((name, health) -> describe(name, health, response));
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
