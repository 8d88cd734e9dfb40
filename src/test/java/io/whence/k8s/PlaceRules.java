package io.whence.k8s;

import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.Endpoint;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import io.whence.app.WhenceConfig;
import java.util.Map;
import java.util.stream.Stream;

/** Ports, names and labels lead to where they say. Thread safety: immutable. */
final class PlaceRules {
  private static final String METRICS = "/q/metrics";

  private PlaceRules() {}

  static void check(Rendered rendered, Problems problems) {
    WhenceConfig config = ServerSettings.of(rendered.settings());
    Map<String, Integer> ports = Map.of("grpc", config.grpc().port(), "http", config.http().port());
    for (ContainerPort port : rendered.container().getPorts()) {
      problems.unless(
          port.getContainerPort().equals(ports.get(port.getName())),
          "container port %s: %s, but the server has %s",
          port.getName(),
          port.getContainerPort(),
          ports);
    }
    problems.unless(
        !config.grpc().host().startsWith("127."), "whence.grpc.host: probes couldn't reach it");
    rendered.services().forEach(service -> service(rendered, service, ports, problems));
    problems.unless(
        rendered
            .named(Service.class, rendered.nodes().getSpec().getServiceName())
            .filter(service -> "None".equals(service.getSpec().getClusterIP()))
            .isPresent(),
        "serviceName: %s is no headless service",
        rendered.nodes().getSpec().getServiceName());
    problems.unless(
        rendered.named(ServiceAccount.class, rendered.pod().getServiceAccountName()).isPresent(),
        "serviceAccountName: there is no %s",
        rendered.pod().getServiceAccountName());
    selectors(rendered, problems);
    policies(rendered, problems);
    rendered.all(ServiceMonitor.class).forEach(monitor -> monitor(rendered, monitor, problems));
  }

  private static void service(
      Rendered rendered, Service service, Map<String, Integer> ports, Problems problems) {
    String name = service.getMetadata().getName();
    problems.unless(
        rendered.selectsPods(service.getSpec().getSelector()), "service %s: finds no pod", name);
    for (ServicePort port : service.getSpec().getPorts()) {
      Integer real = ports.get(port.getName());
      problems.unless(
          real != null && rendered.port(port.getTargetPort()) == real,
          "service %s: port %s leads nowhere",
          name,
          port.getName());
      problems.unless(
          port.getName().equals(port.getAppProtocol()),
          "service %s: port %s has appProtocol %s",
          name,
          port.getName(),
          port.getAppProtocol());
      problems.unless(
          port.getPort().equals(real), "service %s: port %s is no %s", name, port.getPort(), real);
    }
  }

  private static void selectors(Rendered rendered, Problems problems) {
    problems.unless(
        rendered.selectsPods(rendered.nodes().getSpec().getSelector().getMatchLabels()),
        "StatefulSet: selects other pods than its own");
    PodDisruptionBudget budget = rendered.only(PodDisruptionBudget.class);
    problems.unless(
        rendered.selectsPods(budget.getSpec().getSelector().getMatchLabels()),
        "PodDisruptionBudget: finds no pod");
    problems.unless(
        budget.getSpec().getMaxUnavailable().getIntVal() == 1,
        "PodDisruptionBudget: more than one node may go at a time, or none ever");
    problems.unless(
        rendered.pod().getTopologySpreadConstraints().stream()
            .map(spread -> spread.getLabelSelector().getMatchLabels())
            .allMatch(rendered::selectsPods),
        "topologySpreadConstraints: spread other pods");
    problems.unless(
        rendered.pod().getTopologySpreadConstraints().stream()
            .allMatch(spread -> "Honor".equals(spread.getNodeTaintsPolicy())),
        "topologySpreadConstraints: machines that take no pods count as empty");
    problems.unless(
        rendered.pod().getTopologySpreadConstraints().stream()
                .map(spread -> spread.getTopologyKey())
                .distinct()
                .count()
            == rendered.pod().getTopologySpreadConstraints().size(),
        "topologySpreadConstraints: two of one kind");
  }

  private static void policies(Rendered rendered, Problems problems) {
    rendered
        .all(NetworkPolicy.class)
        .forEach(
            policy -> {
              String name = policy.getMetadata().getName();
              problems.unless(
                  rendered.selectsPods(policy.getSpec().getPodSelector().getMatchLabels()),
                  "NetworkPolicy %s: finds no pod",
                  name);
              policy.getSpec().getIngress().stream()
                  .flatMap(PlaceRules::ports)
                  .forEach(
                      port ->
                          problems.unless(
                              rendered.port(port) > 0,
                              "NetworkPolicy %s: there is no port %s",
                              name,
                              port.getValue()));
            });
  }

  private static Stream<IntOrString> ports(NetworkPolicyIngressRule rule) {
    return rule.getPorts().stream().map(port -> port.getPort());
  }

  private static void monitor(Rendered rendered, ServiceMonitor monitor, Problems problems) {
    Map<String, String> selector = monitor.getSpec().getSelector().getMatchLabels();
    for (Endpoint endpoint : monitor.getSpec().getEndpoints()) {
      long found =
          rendered
              .services()
              .filter(one -> Rendered.selects(selector, one.getMetadata().getLabels()))
              .flatMap(one -> one.getSpec().getPorts().stream())
              .filter(port -> port.getName().equals(endpoint.getPort()))
              .count();
      problems.unless(found == 1, "ServiceMonitor: finds each node %s times", found);
      problems.unless(
          METRICS.equals(endpoint.getPath()),
          "ServiceMonitor: path %s instead of %s",
          endpoint.getPath(),
          METRICS);
    }
  }
}
