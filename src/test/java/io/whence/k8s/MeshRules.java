package io.whence.k8s;

import io.fabric8.istio.api.api.networking.v1alpha3.HTTPMatchRequest;
import io.fabric8.istio.api.api.networking.v1alpha3.HTTPRoute;
import io.fabric8.istio.api.api.networking.v1alpha3.StringMatchExact;
import io.fabric8.istio.api.api.networking.v1alpha3.StringMatchRegex;
import io.fabric8.istio.api.networking.v1.DestinationRule;
import io.fabric8.istio.api.networking.v1.VirtualService;
import io.fabric8.kubernetes.api.model.Service;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ResolverServiceGrpc;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A proxy sends again what may be answered twice and by any node, and nothing else; it judges no
 * node by what says nothing of it; and a node that is named gets the call. Thread safety:
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

  /** What fails as a whole for the node alone: each partition has its own outcome. */
  private static final Set<String> JUDGED =
      Set.of(
          "whence.v1.ResolverService/ResolveTimestamp",
          "whence.v1.ResolverService/ResolveWindow",
          "whence.v1.ResolverService/ResolveOffset");

  private static final Set<String> RETRIED =
      Set.of("connect-failure", "refused-stream", "reset-before-request", "unavailable");

  private MeshRules() {}

  static void check(Rendered rendered, Problems problems) {
    VirtualService routes = rendered.only(VirtualService.class);
    var destinations = new MeshDestinations(rendered, rendered.only(DestinationRule.class));
    List<HTTPRoute> all = routes.getSpec().getHttp();
    for (HTTPRoute route : all) {
      retries(route, problems);
      destinations.check(route, problems);
    }
    named(rendered, all.get(0), destinations, problems);
    List<HTTPRoute> toAny = all.subList(1, all.size());
    toAny.forEach(route -> destinations.checkRule(route, problems));
    same("retried", LOOKUPS, paths(toAny, MeshRules::isRetried), problems);
    same("of one node", OF_ONE_NODE, paths(toAny, destinations::keepsToOneNode), problems);
    same("judged", JUDGED, paths(toAny, destinations::ejects), problems);
    problems.unless(
        methods().containsAll(LOOKUPS) && methods().containsAll(OF_ONE_NODE),
        "there is no such rpc: %s",
        routes);
    rendered.services().forEach(service -> service(service, routes, problems));
  }

  /** The first route is for calls that name a pod, in each form of its name, and for no others. */
  private static void named(
      Rendered rendered, HTTPRoute route, MeshDestinations destinations, Problems problems) {
    String headless = rendered.nodes().getSpec().getServiceName();
    String pod = rendered.nodes().getMetadata().getName() + "-12." + headless;
    List<String> domains = List.of("", ".whence", ".whence.svc", ".whence.svc.cluster.local");
    for (String domain : domains) {
      for (String port : List.of("", ":9000")) {
        problems.unless(
            isFor(route, pod + domain + port) && destinations.leadsToNamedNode(route),
            "%s leads to any node",
            pod + domain + port);
        problems.unless(
            !isFor(route, headless + domain + port), "%s leads to one node", headless + domain);
      }
    }
    problems.unless(!isRetried(route), "route %s: is of one node", route.getName());
  }

  private static boolean isFor(HTTPRoute route, String authority) {
    return route.getMatch().stream()
        .map(HTTPMatchRequest::getAuthority)
        .filter(Objects::nonNull)
        .anyMatch(
            match ->
                match.getMatchType() instanceof StringMatchRegex regex
                    && authority.matches(regex.getRegex()));
  }

  private static void retries(HTTPRoute route, Problems problems) {
    if (route.getRetries() == null || route.getRetries().getAttempts() == null) {
      problems.unless(false, "route %s: Istio would send again twice", route.getName());
    } else if (isRetried(route)) {
      String conditions = Objects.requireNonNullElse(route.getRetries().getRetryOn(), "");
      problems.unless(
          RETRIED.equals(new TreeSet<>(List.of(conditions.split(",", -1)))),
          "route %s: retryOn %s",
          route.getName(),
          conditions);
    }
  }

  private static boolean isRetried(HTTPRoute route) {
    return route.getRetries() != null
        && Objects.requireNonNullElse(route.getRetries().getAttempts(), 0) > 0;
  }

  /** Every call to a service has a route, if only the last one for its port. */
  private static void service(Service service, VirtualService routes, Problems problems) {
    String name = service.getMetadata().getName();
    problems.unless(
        routes.getSpec().getHosts().contains(name),
        "service %s: Istio would send its calls again twice",
        name);
    for (var port : service.getSpec().getPorts()) {
      long number = port.getPort();
      problems.unless(
          routes.getSpec().getHttp().stream()
              .filter(route -> route.getMatch().stream().anyMatch(match -> isAll(match, number)))
              .anyMatch(route -> MeshDestinations.port(route) == number),
          "service %s: some calls to port %s have no route",
          name,
          number);
    }
  }

  private static boolean isAll(HTTPMatchRequest match, long port) {
    return match.getUri() == null
        && match.getAuthority() == null
        && Long.valueOf(port).equals(match.getPort());
  }

  private static void same(String what, Set<String> wanted, Set<String> is, Problems problems) {
    problems.unless(wanted.equals(is), "%s are %s, not %s", what, is, wanted);
  }

  private static Set<String> paths(List<HTTPRoute> routes, Predicate<HTTPRoute> which) {
    return routes.stream()
        .filter(which)
        .flatMap(route -> route.getMatch().stream())
        .map(MeshRules::path)
        .collect(Collectors.toCollection(TreeSet::new));
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
        .flatMap(Collection::stream)
        .map(MethodDescriptor::getFullMethodName)
        .collect(Collectors.toSet());
  }
}
