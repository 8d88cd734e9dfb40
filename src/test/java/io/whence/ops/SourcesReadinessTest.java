package io.whence.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.SourceHealth.State;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.junit.jupiter.api.Test;

class SourcesReadinessTest {
  private final Map<String, SourceHealth> sources = new TreeMap<>();
  private boolean serving = true;
  private final SourcesReadiness readiness =
      new SourcesReadiness(
          new ServerReadiness(
              new SourceStates() {
                @Override
                public boolean isServing() {
                  return serving;
                }

                @Override
                public Map<String, SourceHealth> healthByName() {
                  return sources;
                }
              }));

  private boolean isUp() {
    return readiness.call().getStatus() == HealthCheckResponse.Status.UP;
  }

  private void set(String source, State state) {
    sources.put(source, SourceHealth.of(state, ""));
  }

  @Test
  void loadingSource_keepsFromBeingReady() {
    set("embedded", State.READY);
    set("prod", State.LOADING);
    assertThat(isUp()).isFalse();

    set("prod", State.READY);
    assertThat(isUp()).isTrue();
  }

  @Test
  void staleSource_isStillReady_untilNothingAnswers() {
    set("prod", State.STALE);
    assertThat(isUp()).isTrue();

    set("prod", State.NOT_SERVING);
    assertThat(isUp()).isFalse();

    set("prod", State.STALE);
    assertThat(isUp()).isTrue();
  }

  @Test
  void sourceThatAnswersNothing_leavesOthersReady_alsoWhenItComes() {
    set("embedded", State.READY);
    set("prod", State.NOT_SERVING);
    assertThat(isUp()).isTrue();

    set("prod", State.LOADING);
    assertThat(isUp()).as("what was ready stays so").isTrue();
  }

  @Test
  void stoppingServer_isNotReady() {
    set("embedded", State.READY);
    serving = false;
    assertThat(isUp()).isFalse();
  }

  @Test
  void data_tellsCountsAndTheFirstReason() {
    sources.put(
        "prod",
        new SourceHealth(State.STALE, new Partitions(12, 11, 10, 2, 40_000, -1), "orders-3: away"));
    set("embedded", State.NOT_SERVING);

    assertThat(readiness.call().getData().orElseThrow())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "embedded", "not serving",
                "prod", "stale",
                "prod.partitions", 12L,
                "prod.caught_up", 11L,
                "prod.answering", 10L,
                "prod.failing", 2L,
                "prod.oldest_staleness_ms", 40_000L,
                "prod.reason", "orders-3: away"));
  }
}
