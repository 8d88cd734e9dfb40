package io.whence.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Probe;
import io.whence.app.WhenceConfig;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ResolverServiceGrpc;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Probes ask what the server answers, where it listens, and wait as long as it may take. Thread
 * safety: immutable.
 */
final class ProbeRules {
  private static final Set<String> HEALTH_NAMES =
      Set.of(
          "",
          ResolverServiceGrpc.SERVICE_NAME,
          LogServiceGrpc.SERVICE_NAME,
          GroupOffsetsServiceGrpc.SERVICE_NAME);

  /** Without a path of its own in application.properties, Quarkus has them there. */
  private static final String READY = "/q/health/ready";

  private static final String LIVE = "/q/health/live";
  private static final Duration LONGEST_PRELOAD = Duration.ofMinutes(10);

  private ProbeRules() {}

  static void check(Rendered rendered, Problems problems) {
    WhenceConfig config = ServerSettings.of(rendered.settings());
    boolean tls = rendered.settings().containsKey("WHENCE_GRPC_TLS_CERTIFICATE");
    Container container = rendered.container();
    Map<String, Probe> readiness =
        Map.of("startup", container.getStartupProbe(), "readiness", container.getReadinessProbe());
    readiness.forEach(
        (name, probe) -> {
          problems.unless(
              tls == (probe.getGrpc() == null),
              "%s probe: gRPC without TLS, else HTTP: the gRPC probe speaks no TLS",
              name);
          if (probe.getGrpc() == null) {
            http(rendered, name, probe, READY, config, problems);
          } else {
            grpc(name, probe, config, problems);
          }
        });
    Probe liveness = container.getLivenessProbe();
    problems.unless(
        liveness.getGrpc() == null, "liveness probe: gRPC's health turns red while draining");
    if (liveness.getHttpGet() != null) {
      http(rendered, "liveness", liveness, LIVE, config, problems);
    }
    Duration patience =
        Duration.ofSeconds(
            (long) container.getStartupProbe().getPeriodSeconds()
                * container.getStartupProbe().getFailureThreshold());
    problems.unless(
        patience.compareTo(LONGEST_PRELOAD) >= 0, "startup probe: only waits for %s", patience);
  }

  private static void grpc(String name, Probe probe, WhenceConfig config, Problems problems) {
    problems.unless(
        probe.getGrpc().getPort() == config.grpc().port(),
        "%s probe: port %s, but gRPC listens at %s",
        name,
        probe.getGrpc().getPort(),
        config.grpc().port());
    String service = Objects.requireNonNullElse(probe.getGrpc().getService(), "");
    problems.unless(HEALTH_NAMES.contains(service), "%s probe: health knows no %s", name, service);
  }

  private static void http(
      Rendered rendered,
      String name,
      Probe probe,
      String path,
      WhenceConfig config,
      Problems problems) {
    int port = rendered.port(probe.getHttpGet().getPort());
    problems.unless(
        port == config.http().port(),
        "%s probe: port %s, but HTTP listens at %s",
        name,
        port,
        config.http().port());
    problems.unless(
        path.equals(probe.getHttpGet().getPath()),
        "%s probe: path %s instead of %s",
        name,
        probe.getHttpGet().getPath(),
        path);
  }
}
