package io.whence.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What lies below k8s is what Kubernetes takes and what the server is; each rule can fail. */
class ManifestsTest {
  /** Whose fields are names that anybody may choose. */
  private static final Set<String> FREE =
      Set.of(
          "annotations",
          "data",
          "labels",
          "limits",
          "matchLabels",
          "portLevelMtls",
          "requests",
          "selector/");

  @ParameterizedTest
  @EnumSource
  void deployment_isAsItShouldBe(Deployment deployment) {
    assertThat(deployment.problems(deployment.yaml())).isEmpty();
    assertThat(Rendered.parse(deployment.yaml()).documents())
        .extracting(HasMetadata::getKind)
        .contains("StatefulSet", "Service", "PodDisruptionBudget", "NetworkPolicy", "ConfigMap");
  }

  @ParameterizedTest
  @EnumSource(names = {"EMBEDDED_ALL", "MESH_MONITORING"})
  void unknownField_anywhere_refused(Deployment deployment) {
    int tried = 0;
    for (JsonNode document : StrictYaml.trees(deployment.yaml())) {
      List<ObjectNode> objects = new ArrayList<>();
      collect("", document, objects);
      for (ObjectNode object : objects) {
        object.put("surprise", "x");
        assertThatThrownBy(() -> StrictYaml.object(document))
            .as("%s", object)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("surprise");
        object.remove("surprise");
        tried++;
      }
      assertThat(StrictYaml.object(document)).isNotNull();
    }
    assertThat(tried).isGreaterThan(60);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "EMBEDDED | service: whence.v1.ResolverService | service: whence.v1.Resolver | health knows no",
        "EMBEDDED | containerPort: 9000 | containerPort: 9001 | container port grpc",
        "EMBEDDED | port: 9000\\n            service | port: 9001\\n            service | probe: port 9001",
        "EMBEDDED | /q/health/live | /health | liveness probe: path",
        "EMBEDDED | failureThreshold: 900 | failureThreshold: 30 | startup probe: only waits",
        "EMBEDDED | targetPort: grpc | targetPort: rpc | leads nowhere",
        "EMBEDDED | appProtocol: grpc | appProtocol: http | appProtocol",
        "EMBEDDED | clusterIP: None | clusterIP: 10.0.0.1 | no headless service",
        "EMBEDDED | terminationGracePeriodSeconds: 90 | terminationGracePeriodSeconds: 60 | calls may go on",
        "EMBEDDED | WHENCE_SHUTDOWN_GRACE: 20s | WHENCE_SHUTDOWN_GRACE: 1m | calls may go on",
        "EMBEDDED | WHENCE_SHUTDOWN_DELAY: 5s | WHENCE_SHUTDOWN_DELAY: 0s | get no time",
        "EMBEDDED | WHENCE_SHUTDOWN_DELAY | WHENCE_SHUTDOWN_DELAYS | there is no such setting",
        "EMBEDDED | WHENCE_SHUTDOWN_DELAY: 5s | WHENCE_SHUTDOWN_DELAY: soon | soon",
        "EMBEDDED | seconds: 5 | seconds: 1 | too short",
        "EMBEDDED | MaxRAMPercentage=50 | MaxRAMPercentage=75 | page cache",
        "EMBEDDED | MaxDirectMemorySize=384m | MaxDirectMemorySize=1g | page cache",
        "EMBEDDED | ActiveProcessorCount=2 | ActiveProcessorCount=8 | Java counts others",
        "EMBEDDED | readOnlyRootFilesystem: true | readOnlyRootFilesystem: false | readOnlyRootFilesystem",
        "EMBEDDED | runAsNonRoot: true | runAsNonRoot: false | runAsNonRoot",
        "EMBEDDED | runAsUser: 10001 | runAsUser: 0 | runAsUser",
        "EMBEDDED | enableServiceLinks: false | enableServiceLinks: true | enableServiceLinks",
        "EMBEDDED | mountPath: /tmp | mountPath: /temp | are writable",
        "EMBEDDED | WHENCE_DATA: /var/lib/whence/data | WHENCE_DATA: /data | lies on no volume",
        "EMBEDDED | WHENCE_DATA: /var/lib/whence/data | WHENCE_DATA: /var/lib/whence | lies on no volume",
        "EMBEDDED | WHENCE_GRPC_ALLOW_PLAINTEXT: \"true\" | WHENCE_GRPC_ALLOW_PLAINTEXT: \"false\" | allow-plaintext",
        "EMBEDDED | WHENCE_GRPC_HOST: 0.0.0.0 | WHENCE_GRPC_HOST: 127.0.0.1 | probes couldn't reach",
        "EMBEDDED | maxUnavailable: 1 | maxUnavailable: 0 | PodDisruptionBudget",
        "EMBEDDED | port: grpc | port: rpc | there is no port rpc",
        "EMBEDDED | serviceAccountName: whence | serviceAccountName: other | serviceAccountName",
        "EMBEDDED | configMapRef:\\n            name: whence | configMapRef:\\n            name: other | no ConfigMap",
        "EMBEDDED | kind: PodDisruptionBudget | kind: PodBudget | is not one of",
        "EMBEDDED | replicas: 1 | replicas: one | replicas",
        "EMBEDDED_ALL | WHENCE_GRPC_TLS_KEY: /etc/whence/tls/tls.key | WHENCE_GRPC_TLS_KEY: /tmp/tls.key | lies on no volume",
        "EMBEDDED_ALL | path: /q/metrics | path: /metrics | ServiceMonitor: path",
        "EMBEDDED_ALL | path: /q/metrics\\n    port: http | path: /q/metrics\\n    port: grpc | finds each node 2 times",
        "EMBEDDED_ALL | WHENCE_GRPC_TLS_CERTIFICATE: /etc/whence/tls/tls.crt | WHENCE_DATA: /etc/x | uplicate",
        "EMBEDDED_ALL | port: 4317 | port: 4318 | whence.traces.endpoint: otel-collector.monitoring:4317",
        "EMBEDDED_ALL | monitoring:4317 | monitoring:4318 | whence.traces.endpoint: otel-collector.monitoring:4318",
        "EMBEDDED_ALL | port: 53\\n      protocol: UDP | port: 54\\n      protocol: UDP | names",
        "EMBEDDED_ALL | - Egress | - Ingress | whence.traces.endpoint: otel-collector.monitoring:4317",
        "EMBEDDED | WHENCE_DATA: | WHENCE_TRACES_ENDPOINT: http://10.0.0.1:4317\\n  WHENCE_DATA: | whence.traces.endpoint: 10.0.0.1:4317",
        "KAFKA | port: 9092 | port: 9094 | whence.kafka.prod.bootstrap: kafka-bootstrap.kafka:9092",
        "KAFKA | WHENCE_GRPC_MAX_CONNECTION_AGE: 2m | WHENCE_GRPC_MAX_CONNECTION_AGE: 1h | new node",
        "KAFKA | WHENCE_KAFKA_PROD_BOOTSTRAP | WHENCE_KAFKA_TEST_BOOTSTRAP | bootstrap",
        "KAFKA | mountPath: /etc/whence/kafka | mountPath: /etc/kafka | client-properties",
        "KAFKA | nodeTaintsPolicy: Honor | nodeAffinityPolicy: Honor | machines that take no pods",
        "MESH | terminationDrainDuration: 40s | terminationDrainDuration: 20s | the sidecar ends",
        "MESH | holdApplicationUntilProxyStarts: true | holdApplicationUntilProxyStarts: false | before its network",
        "MESH | /ResolveOffset | /CommitOffset | retried are",
        "MESH | /ListGroups | /DeleteGroup | retried are",
        "MESH | attempts: 0 | attempts: 2 | retried are",
        "MESH | /ApplyReset | /DeleteGroup | of one node are",
        "MESH | /ResolveWindow | /DeleteGroup | judged are",
        "MESH | else\\n    retries:\\n      attempts: 0\\n    route:\\n    - destination:\\n"
            + "        host: whence | else\\n    retries:\\n      attempts: 0\\n    route:\\n"
            + "    - destination:\\n        subset: judged\\n        host: whence | judged are",
        "MESH | consecutiveGatewayErrors: 5 | consecutiveGatewayErrors: 0 | judged are",
        "MESH | subset: judged | subset: by-client | of one node are",
        "MESH | subset: by-client | subset: judged | of one node are",
        "MESH | whence-[0-9]+ | whence-[0-9] | whence-12.whence-headless leads to any node",
        "MESH | whence-[0-9]+\\.whence | .*whence | whence-headless leads to one node",
        "MESH | host: whence-headless | host: whence | whence-12.whence-headless leads to any node",
        "MESH | port: 8080\\n    name: metrics | port: 8081\\n    name: metrics | port 8080 have no route",
        "MESH | port: 9000\\n    name: everything-else | port: 9001\\n    name: everything-else | port 9000 have no route",
        "MESH | number: 8080 | number: 9000 | port 8080 have no route",
        "MESH | retries:\\n      attempts: 0 | timeout: 10s | Istio would send again",
        "MESH | \\n  - whence-headless\\n | \\n | service whence-headless: Istio",
        "MESH | subset: by-client | subset: by-server | no subset",
        "MESH | number: 9000 | number: 9001 | is no service",
        "MESH | retryOn: connect-failure | retryOn: cancelled,connect-failure | retryOn",
      })
  void somethingElse_noticed(Deployment deployment, String is, String other, String problem) {
    String yaml = deployment.yaml();
    String from = is.replace("\\n", "\n");
    assertThat(yaml).contains(from);
    List<String> problems = deployment.problems(yaml.replace(from, other.replace("\\n", "\n")));
    assertThat(problems).anySatisfy(one -> assertThat(one).contains(problem));
  }

  @Test
  void prometheusStack_findsRulesAndMonitorByItsLabel_andTheirRunbooks() {
    Rendered rendered = Rendered.parse(Deployment.KAFKA_STACK.yaml());
    List<HasMetadata> watching = new ArrayList<>();
    watching.add(rendered.only(ServiceMonitor.class));
    watching.add(rendered.only(PrometheusRule.class));
    assertThat(watching)
        .allSatisfy(
            one ->
                assertThat(one.getMetadata().getLabels())
                    .containsEntry("release", "kube-prometheus-stack")
                    .containsEntry("app.kubernetes.io/name", "whence"));
    assertThat(rendered.only(PrometheusRule.class).getSpec().getGroups().get(0).getRules())
        .hasSizeGreaterThan(20)
        .allSatisfy(
            rule ->
                assertThat(rule.getAnnotations().get("runbook_url"))
                    .isEqualTo(
                        "https://git.example.com/whence/docs/OPERATING.md#"
                            + rule.getAlert().toLowerCase(Locale.ROOT)));
  }

  @Test
  void fieldTwice_refused() {
    String yaml = Deployment.EMBEDDED.yaml();
    assertThat(
            Deployment.EMBEDDED.problems(yaml.replace("replicas: 1", "replicas: 1\n  replicas: 1")))
        .anySatisfy(one -> assertThat(one).containsIgnoringCase("duplicate"));
  }

  @Test
  void optionsOfJava_areKnownToIt() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(MemoryRules.options(Rendered.parse(Deployment.EMBEDDED.yaml())));
    command.add("-version");
    assertThat(exitCode(command)).isZero();
    command.add(1, "-XX:MaxRAMPercentages=50");
    assertThat(exitCode(command)).isEqualTo(1);
  }

  @Test
  void image_takesAsMuchMemoryAsAPod() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String options = between(pom, "<JDK_JAVA_OPTIONS>", "</JDK_JAVA_OPTIONS>");
    assertThat(options.split(" ", -1))
        .isSubsetOf(MemoryRules.options(Rendered.parse(Deployment.EMBEDDED.yaml())))
        .anyMatch(option -> option.startsWith("-XX:MaxRAMPercentage="))
        .anyMatch(option -> option.startsWith("-XX:MaxDirectMemorySize="));
  }

  @Test
  void baseOfTheImage_isOneOfOneVersion() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String base = between(pom, "<whence.image.base>", "</whence.image.base>");
    assertThat(base)
        .matches("eclipse-temurin:25\\.[0-9.]+_[0-9]+-jre-[a-z]+(@sha256:[0-9a-f]{64})?");
    assertThat(Files.readString(Path.of("k8s/image/build"))).contains("(default " + base + ")");
    assertThat(Files.readString(Path.of("k8s/README.md"))).contains("`" + base + "`");
  }

  @Test
  void image_hasTheVersionOfTheProject() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String version = between(pom, "<version>", "</version>");
    assertThat(Rendered.parse(Deployment.KAFKA.yaml()).container().getImage())
        .isEqualTo("whence:" + version);
  }

  @Test
  void files_allBelongToSomething() throws IOException {
    Set<String> used = new TreeSet<>();
    Set<String> files;
    try (var tree = Files.walk(Path.of("k8s"))) {
      files =
          tree.filter(Files::isRegularFile)
              .map(file -> Path.of("k8s").relativize(file).toString())
              .filter(name -> name.endsWith(".yaml") || name.endsWith(".env"))
              .collect(Collectors.toCollection(TreeSet::new));
    }
    for (String name : files) {
      if (name.endsWith("kustomization.yaml")) {
        used.add(name);
        String text = Files.readString(Path.of("k8s", name));
        files.stream()
            .filter(other -> Path.of(other).getParent().equals(Path.of(name).getParent()))
            .filter(
                other ->
                    text.contains("- " + Path.of(other).getFileName())
                        || text.contains("path: " + Path.of(other).getFileName()))
            .forEach(used::add);
      }
    }
    assertThat(used).isEqualTo(files);
  }

  private static String between(String text, String start, String end) {
    int from = text.indexOf(start) + start.length();
    return text.substring(from, text.indexOf(end, from));
  }

  private static int exitCode(List<String> command) {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void collect(String name, JsonNode node, List<ObjectNode> objects) {
    if (node instanceof ObjectNode object && !isFree(name, object)) {
      objects.add(object);
    }
    if (!FREE.contains(name)) {
      node.properties().forEach(field -> collect(field.getKey(), field.getValue(), objects));
      if (node.isArray()) {
        node.forEach(element -> collect("", element, objects));
      }
    }
  }

  /** A service's selector has no matchLabels around its labels. */
  private static boolean isFree(String name, ObjectNode object) {
    return FREE.contains(name)
        || name.equals("selector") && !object.isEmpty() && !object.has("matchLabels");
  }
}
