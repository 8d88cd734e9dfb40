package io.whence.k8s;

import io.whence.app.WhenceConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The ways to stop fit into each other. Thread safety: immutable. */
final class StopRules {
  /** What the server takes after the drain at the most: workers, sources that still open, logs. */
  private static final Duration CLOSING = Duration.ofSeconds(30);

  private static final Pattern SIDECAR = Pattern.compile("terminationDrainDuration: (\\d+)s");

  private StopRules() {}

  static void check(Rendered rendered, Problems problems) {
    WhenceConfig config = ServerSettings.of(rendered.settings());
    Duration unnoticed =
        Optional.ofNullable(rendered.container().getLifecycle())
            .map(lifecycle -> lifecycle.getPreStop().getSleep())
            .map(sleep -> Duration.ofSeconds(sleep.getSeconds()))
            .orElse(Duration.ZERO);
    problems.unless(
        unnoticed.compareTo(Duration.ofSeconds(3)) >= 0,
        "preStop: %s is too short for endpoints to lose the pod",
        unnoticed);
    problems.unless(
        !config.shutdown().delay().isZero(),
        "whence.shutdown.delay: clients that watch health get no time");
    Duration calls = unnoticed.plus(config.shutdown().delay()).plus(config.shutdown().grace());
    Duration killed = Duration.ofSeconds(rendered.pod().getTerminationGracePeriodSeconds());
    problems.unless(
        calls.plus(CLOSING).compareTo(killed) < 0,
        "terminationGracePeriodSeconds: %s, but calls may go on for %s, and closing takes %s",
        killed,
        calls,
        CLOSING);
    sidecar(rendered, calls, killed, problems);
    Duration age = config.grpc().maxConnectionAge();
    problems.unless(
        rendered.nodes().getSpec().getReplicas() == 1 || age.compareTo(Duration.ofMinutes(5)) < 0,
        "whence.grpc.max-connection-age: %s until a new node gets load",
        age);
  }

  private static void sidecar(
      Rendered rendered, Duration calls, Duration killed, Problems problems) {
    if (!rendered.podLabels().containsKey("sidecar.istio.io/inject")) {
      return;
    }
    String proxy = rendered.podAnnotations().getOrDefault("proxy.istio.io/config", "");
    Matcher drain = SIDECAR.matcher(proxy);
    Duration draining =
        drain.find() ? Duration.ofSeconds(Long.parseLong(drain.group(1))) : Duration.ZERO;
    problems.unless(
        draining.compareTo(calls) >= 0 && draining.compareTo(killed) < 0,
        "proxy.istio.io/config: the sidecar ends after %s, calls after %s, the pod after %s",
        draining,
        calls,
        killed);
    problems.unless(
        proxy.contains("holdApplicationUntilProxyStarts: true"),
        "proxy.istio.io/config: the server would start before its network");
  }
}
