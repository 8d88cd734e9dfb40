package io.whence.k8s;

import io.fabric8.istio.api.api.networking.v1alpha3.HTTPMatchRequest;
import io.fabric8.istio.api.api.networking.v1alpha3.HTTPRoute;
import io.fabric8.istio.api.api.networking.v1alpha3.StringMatchExact;
import io.fabric8.istio.api.networking.v1.DestinationRule;
import io.fabric8.istio.api.networking.v1.VirtualService;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ResolverServiceGrpc;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A proxy sends again what may be answered twice and by any node, and nothing else. Thread safety:
 * immutable.
 */
final class MeshRules {
  /** PlanReset is no lookup here: the node that makes a plan has to apply it. */
  private static final Set<String> LOOKUPS =
      Set.of(
          "whence.v1.ResolverService/ResolveTimestamp",
          "whence.v1.ResolverService/ResolveWindow",
          "whence.v1.ResolverService/ResolveOffset",
          "whence.v1.LogService/ListTopics",
          "whence.v1.LogService/DescribeTopic",
          "whence.v1.LogService/Read",
          "whence.v1.GroupOffsetsService/FetchOffset",
          "whence.v1.GroupOffsetsService/ListGroups",
          "whence.v1.GroupOffsetsService/GetGroupLag");

  /** What a node remembers in memory. */
  private static final Set<String> OF_ONE_NODE =
      Set.of(
          "whence.v1.GroupOffsetsService/PlanReset",
          "whence.v1.GroupOffsetsService/ApplyReset",
          "whence.v1.GroupOffsetsService/CommitOffset");

  private static final Set<String> RETRIED =
      Set.of("connect-failure", "refused-stream", "reset-before-request", "unavailable");

  private MeshRules() {}

  static void check(Rendered rendered, Problems problems) {
    VirtualService routes = rendered.only(VirtualService.class);
    hosts(rendered, routes, problems);
    DestinationRule destination = rendered.only(DestinationRule.class);
    Set<String> retried = new TreeSet<>();
    Set<String> ofOneNode = new TreeSet<>();
    for (HTTPRoute route : routes.getSpec().getHttp()) {
      if (route.getRetries() == null || route.getRetries().getAttempts() == null) {
        problems.unless(false, "route %s: Istio would send again twice", route.getName());
      } else if (route.getRetries().getAttempts() > 0) {
        retried.addAll(paths(route));
        problems.unless(
            RETRIED.equals(conditions(route)),
            "route %s: retryOn %s",
            route.getName(),
            route.getRetries().getRetryOn());
      }
      if (route.getRoute().get(0).getDestination().getSubset() != null) {
        ofOneNode.addAll(paths(route));
      }
      destination(rendered, route, destination, problems);
    }
    problems.unless(retried.equals(LOOKUPS), "retried are %s, not %s", retried, LOOKUPS);
    problems.unless(
        ofOneNode.equals(OF_ONE_NODE), "one node gets %s, not %s", ofOneNode, OF_ONE_NODE);
    problems.unless(
        methods().containsAll(LOOKUPS) && methods().containsAll(OF_ONE_NODE),
        "there is no such rpc: %s",
        routes);
    HTTPRoute last = routes.getSpec().getHttp().get(routes.getSpec().getHttp().size() - 1);
    problems.unless(
        last.getMatch().stream().allMatch(match -> match.getUri() == null),
        "route %s: some rpcs have no route",
        last.getName());
  }

  private static void hosts(Rendered rendered, VirtualService routes, Problems problems) {
    rendered
        .services()
        .filter(
            one ->
                one.getSpec().getPorts().stream().anyMatch(port -> port.getName().equals("grpc")))
        .map(one -> one.getMetadata().getName())
        .forEach(
            name ->
                problems.unless(
                    routes.getSpec().getHosts().contains(name),
                    "service %s: Istio would send its calls again twice",
                    name));
  }

  private static void destination(
      Rendered rendered, HTTPRoute route, DestinationRule rule, Problems problems) {
    var to = route.getRoute().get(0).getDestination();
    problems.unless(
        rendered
            .services()
            .filter(one -> one.getMetadata().getName().equals(to.getHost()))
            .flatMap(one -> one.getSpec().getPorts().stream())
            .anyMatch(
                port ->
                    port.getName().equals("grpc")
                        && port.getPort().longValue() == to.getPort().getNumber()),
        "route %s: %s:%s is no service",
        route.getName(),
        to.getHost(),
        to.getPort().getNumber());
    problems.unless(
        to.getSubset() == null
            || rule.getSpec().getSubsets().stream()
                .anyMatch(
                    subset ->
                        subset.getName().equals(to.getSubset())
                            && rendered.selectsPods(subset.getLabels())),
        "route %s: there is no subset %s",
        route.getName(),
        to.getSubset());
    problems.unless(
        rule.getSpec().getHost().equals(to.getHost()), "DestinationRule: is of another host");
  }

  private static Set<String> conditions(HTTPRoute route) {
    String conditions = Objects.requireNonNullElse(route.getRetries().getRetryOn(), "");
    return new TreeSet<>(List.of(conditions.split(",", -1)));
  }

  private static List<String> paths(HTTPRoute route) {
    return route.getMatch().stream().map(MeshRules::path).toList();
  }

  private static String path(HTTPMatchRequest match) {
    return match.getUri() != null && match.getUri().getMatchType() instanceof StringMatchExact exact
        ? exact.getExact().substring(1)
        : "everything";
  }

  private static Set<String> methods() {
    return Stream.of(
            ResolverServiceGrpc.getServiceDescriptor(),
            LogServiceGrpc.getServiceDescriptor(),
            GroupOffsetsServiceGrpc.getServiceDescriptor())
        .map(ServiceDescriptor::getMethods)
        .flatMap(methods -> methods.stream().map(MethodDescriptor::getFullMethodName))
        .collect(Collectors.toSet());
  }
}
