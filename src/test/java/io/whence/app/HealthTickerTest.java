package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;

import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import io.quarkus.grpc.runtime.health.GrpcHealthStorage;
import io.whence.ops.ServerReadiness;
import io.whence.ops.SourceStates;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.State;
import io.whence.v1.ResolverServiceGrpc;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HealthTickerTest {
  private final Map<String, SourceHealth> sources = new ConcurrentHashMap<>();
  private final GrpcHealthStorage storage = new GrpcHealthStorage();
  private final HealthTicker ticker =
      new HealthTicker(
          new ServerReadiness(
              new SourceStates() {
                @Override
                public boolean isServing() {
                  return true;
                }

                @Override
                public Map<String, SourceHealth> healthByName() {
                  return sources;
                }
              }),
          new HealthSwitch(storage));

  @BeforeEach
  void begin() {
    ticker.begin();
  }

  @AfterEach
  void stop() {
    ticker.stop();
  }

  private void set(String source, State state) {
    sources.put(source, SourceHealth.of(state, ""));
  }

  private boolean isServing() {
    ServingStatus server = status(GrpcHealthStorage.DEFAULT_SERVICE_NAME);
    assertThat(status(ResolverServiceGrpc.SERVICE_NAME)).isEqualTo(server);
    return server == ServingStatus.SERVING;
  }

  private ServingStatus status(String service) {
    return storage.statusForService(service).getStatus();
  }

  private boolean isServingAfterLook() {
    ticker.look();
    return isServing();
  }

  @Test
  void loadingSource_notServing_untilItHasCome() {
    set("embedded", State.READY);
    set("prod", State.LOADING);
    ticker.start();
    assertThat(isServing()).isFalse();

    set("prod", State.READY);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(isServing()).isTrue()); // A service may be told before another.
  }

  @Test
  void readySource_servingAtOnce() {
    set("embedded", State.READY);
    ticker.start();
    assertThat(isServing()).isTrue();
  }

  @Test
  void sourceThatGoes_servingWhileAnotherAnswers() {
    set("embedded", State.READY);
    set("prod", State.READY);
    assertThat(isServingAfterLook()).isTrue();

    set("prod", State.NOT_SERVING);
    assertThat(isServingAfterLook()).isTrue();
    set("prod", State.LOADING);
    assertThat(isServingAfterLook()).as("what was ready stays so").isTrue();

    set("embedded", State.NOT_SERVING);
    assertThat(isServingAfterLook()).isFalse();
    set("embedded", State.STALE);
    assertThat(isServingAfterLook()).isTrue();
  }

  @Test
  void stop_notServingForGood() {
    set("embedded", State.READY);
    ticker.start();

    ticker.stop();
    assertThat(isServing()).isFalse();
    assertThat(isServingAfterLook()).isFalse();
  }
}
