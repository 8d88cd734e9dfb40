package io.whence.ops;

import java.util.Map;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Ready once every source answers; says which does not. Thread safety: immutable. */
@Readiness
class SourcesReadiness implements HealthCheck {
  private final SourceStates states;

  SourcesReadiness(SourceStates states) {
    this.states = states;
  }

  @Override
  public HealthCheckResponse call() {
    Map<String, Boolean> ready = states.readyByName();
    HealthCheckResponseBuilder response =
        HealthCheckResponse.named("sources")
            .status(states.isServing() && !ready.containsValue(false));
    ready.forEach((name, up) -> response.withData(name, up ? "ready" : "loading"));
    return response.build();
  }
}
