package io.whence.server;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.util.Map;
import java.util.Set;

/** The real server on free ports, with one source in memory. */
public class ServerTestProfile implements QuarkusTestProfile {
  /** 2024-06-01T00:00:00Z. */
  static final long NOW_MS = 1_717_200_000_000L;

  static final int THREADS = 4;
  static final int QUEUE = 60;
  static final int CALLS_PER_CONNECTION = 40;

  @Override
  public Map<String, String> getConfigOverrides() {
    return Map.of(
        "whence.grpc.port",
        "0",
        "quarkus.http.test-port",
        "0",
        "whence.workers.threads",
        String.valueOf(THREADS),
        "whence.workers.queue",
        String.valueOf(QUEUE),
        "whence.limits.calls-in-flight-per-connection",
        String.valueOf(CALLS_PER_CONNECTION),
        "whence.limits.records-per-append",
        "1000");
  }

  @Override
  public Set<Class<?>> getEnabledAlternatives() {
    return Set.of(FakePlan.class, FakeResolver.class, FakeClock.class);
  }
}
