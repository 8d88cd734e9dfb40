package io.whence.k8s;

import io.fabric8.istio.api.api.networking.v1alpha3.Destination;
import io.fabric8.istio.api.api.networking.v1alpha3.HTTPRoute;
import io.fabric8.istio.api.api.networking.v1alpha3.LoadBalancerSettingsConsistentHash;
import io.fabric8.istio.api.api.networking.v1alpha3.OutlierDetection;
import io.fabric8.istio.api.api.networking.v1alpha3.Subset;
import io.fabric8.istio.api.api.networking.v1alpha3.TrafficPolicy;
import io.fabric8.istio.api.networking.v1.DestinationRule;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where routes lead to, and what the proxy makes of the nodes there. What a subset doesn't say
 * holds as the rule says it. Thread safety: immutable.
 */
record MeshDestinations(Rendered rendered, DestinationRule rule) {
  /** Whether there is what a route leads to. */
  void check(HTTPRoute route, Problems problems) {
    Destination to = destination(route);
    problems.unless(
        rendered
            .services()
            .filter(one -> one.getMetadata().getName().equals(to.getHost()))
            .flatMap(one -> one.getSpec().getPorts().stream())
            .anyMatch(port -> port.getPort().longValue() == to.getPort().getNumber()),
        "route %s: %s:%s is no service",
        route.getName(),
        to.getHost(),
        to.getPort().getNumber());
    problems.unless(
        to.getSubset() == null
            || subset(route).filter(one -> rendered.selectsPods(one.getLabels())).isPresent(),
        "route %s: there is no subset %s",
        route.getName(),
        to.getSubset());
  }

  /** Whether it says of the destination what is made of its nodes. */
  void checkRule(HTTPRoute route, Problems problems) {
    problems.unless(
        rule.getSpec().getHost().equals(destination(route).getHost()),
        "DestinationRule: is of another host");
  }

  /** Whether the node that a call names gets it: its own name leads to the headless service. */
  boolean leadsToNamedNode(HTTPRoute route) {
    return destination(route).getHost().equals(rendered.nodes().getSpec().getServiceName());
  }

  /** Whether the calls of one client go to one node. */
  boolean keepsToOneNode(HTTPRoute route) {
    return subset(route).map(Subset::getTrafficPolicy).map(TrafficPolicy::getLoadBalancer).stream()
        .anyMatch(one -> one.getLbPolicy() instanceof LoadBalancerSettingsConsistentHash);
  }

  /** Whether a node is left out for a while when calls to it end badly. */
  boolean ejects(HTTPRoute route) {
    OutlierDetection detection =
        subset(route)
            .map(Subset::getTrafficPolicy)
            .map(TrafficPolicy::getOutlierDetection)
            .orElse(rule.getSpec().getTrafficPolicy().getOutlierDetection());
    if (detection == null) {
      return false;
    }
    // Istio takes 5 errors with status 5xx if it isn't told.
    return Objects.requireNonNullElse(detection.getConsecutiveGatewayErrors(), 0) > 0
        || Objects.requireNonNullElse(detection.getConsecutive5xxErrors(), 5) > 0;
  }

  /** Returns the port of a service that a route leads to. */
  static long port(HTTPRoute route) {
    return destination(route).getPort().getNumber();
  }

  private static Destination destination(HTTPRoute route) {
    return route.getRoute().get(0).getDestination();
  }

  private Optional<Subset> subset(HTTPRoute route) {
    Stream<Subset> subsets = rule.getSpec().getSubsets().stream();
    return subsets.filter(one -> one.getName().equals(destination(route).getSubset())).findFirst();
  }
}
