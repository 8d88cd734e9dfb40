package io.whence.k8s;

import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.whence.app.WhenceConfig;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whatever the settings have the server call, the network lets it call. Thread safety: immutable.
 */
final class EgressRules {
  private static final Pattern IP = Pattern.compile("[0-9.]+|\\[[0-9a-f:]+]");
  private static final int DNS = 53;

  private EgressRules() {}

  static void check(Rendered rendered, Problems problems) {
    WhenceConfig config = ServerSettings.of(rendered.settings());
    config
        .traces()
        .endpoint()
        .ifPresent(to -> address(rendered, "whence.traces.endpoint", to, problems));
    config
        .kafka()
        .forEach(
            (name, kafka) -> {
              String setting = "whence.kafka." + name + ".bootstrap";
              for (String broker : kafka.bootstrap()) {
                address(rendered, setting, URI.create("kafka://" + broker), problems);
              }
            });
  }

  private static void address(Rendered rendered, String setting, URI address, Problems problems) {
    problems.unless(
        leaves(rendered, "TCP", address.getPort()),
        "%s: %s:%s can't be reached",
        setting,
        address.getHost(),
        address.getPort());
    boolean isName = !IP.matcher(address.getHost()).matches();
    problems.unless(
        !isName || leaves(rendered, "UDP", DNS) && leaves(rendered, "TCP", DNS),
        "%s: nobody can be asked for names such as %s",
        setting,
        address.getHost());
  }

  private static boolean leaves(Rendered rendered, String protocol, int port) {
    return rendered
        .all(NetworkPolicy.class)
        .filter(policy -> policy.getSpec().getPolicyTypes().contains("Egress"))
        .flatMap(policy -> orNone(policy.getSpec().getEgress()))
        .flatMap((NetworkPolicyEgressRule rule) -> orNone(rule.getPorts()))
        .anyMatch(allowed -> is(allowed, protocol, port));
  }

  private static boolean is(NetworkPolicyPort allowed, String protocol, int port) {
    return protocol.equals(allowed.getProtocol())
        && allowed.getPort() != null
        && Integer.valueOf(port).equals(allowed.getPort().getIntVal());
  }

  private static <T> Stream<T> orNone(List<T> list) {
    return list == null ? Stream.empty() : list.stream();
  }
}
