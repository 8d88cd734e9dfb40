package io.whence.k8s;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.istio.api.networking.v1.DestinationRule;
import io.fabric8.istio.api.networking.v1.VirtualService;
import io.fabric8.istio.api.security.v1.PeerAuthentication;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Documents for Kubernetes as objects of its model. A field that the model doesn't know, a value of
 * another type and a field given twice are errors, as with {@code kubectl --validate=strict}.
 * Thread safety: thread-safe.
 */
final class StrictYaml {
  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Stream.of(
              ConfigMap.class,
              DestinationRule.class,
              NetworkPolicy.class,
              PeerAuthentication.class,
              PodDisruptionBudget.class,
              PrometheusRule.class,
              Service.class,
              ServiceAccount.class,
              ServiceMonitor.class,
              StatefulSet.class,
              VirtualService.class)
          .collect(
              Collectors.toMap(
                  type -> HasMetadata.getApiVersion(type) + " " + HasMetadata.getKind(type),
                  Function.identity()));

  private static final ObjectMapper MAPPER =
      new ObjectMapper(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .setAnnotationIntrospector(new NoSpareFields());

  private StrictYaml() {}

  /** Reads documents as trees. */
  static List<JsonNode> trees(String yaml) {
    try (JsonParser parser = MAPPER.getFactory().createParser(yaml)) {
      return MAPPER.<JsonNode>readValues(parser, JsonNode.class).readAll();
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Makes an object of a document.
   *
   * @throws IllegalArgumentException if the model doesn't allow it, with path and field
   */
  static HasMetadata object(JsonNode tree) {
    String kind = tree.path("apiVersion").asText() + " " + tree.path("kind").asText();
    Class<? extends HasMetadata> type = KINDS.get(kind);
    if (type == null) {
      throw new IllegalArgumentException("kind '" + kind + "' is not one of " + KINDS.keySet());
    }
    try {
      HasMetadata object = MAPPER.treeToValue(tree, type);
      requireAll(kind, tree, MAPPER.valueToTree(object));
      return object;
    } catch (IOException e) {
      throw new IllegalArgumentException(kind + ": " + e.getMessage(), e);
    }
  }

  /** Some types of the model read what they know and pass over the rest. */
  private static void requireAll(String path, JsonNode given, JsonNode understood) {
    for (Map.Entry<String, JsonNode> field : given.properties()) {
      String name = path + "." + field.getKey();
      JsonNode kept = understood.path(field.getKey());
      if (kept.isMissingNode()
          && !(field.getValue().isContainerNode() && field.getValue().isEmpty())) {
        throw new IllegalArgumentException(name + ": there is no such field");
      }
      requireAll(name, field.getValue(), kept);
    }
    for (int i = 0; given.isArray() && i < given.size(); i++) {
      requireAll(path + "[" + i + "]", given.get(i), understood.path(i));
    }
  }

  /** The model would keep what it doesn't know in a map. */
  private static final class NoSpareFields extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      return Boolean.FALSE;
    }
  }
}
