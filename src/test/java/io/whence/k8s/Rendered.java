package io.whence.k8s;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What an overlay becomes. Thread safety: immutable.
 *
 * @param documents all of its documents
 */
record Rendered(List<HasMetadata> documents) {
  Rendered {
    documents = List.copyOf(documents);
  }

  /** Reads rendered documents, strictly. */
  static Rendered parse(String yaml) {
    return new Rendered(StrictYaml.trees(yaml).stream().map(StrictYaml::object).toList());
  }

  <T> Stream<T> all(Class<T> type) {
    return documents.stream().filter(type::isInstance).map(type::cast);
  }

  <T> T only(Class<T> type) {
    List<T> found = all(type).toList();
    if (found.size() != 1) {
      throw new IllegalArgumentException(found.size() + " documents are a " + type.getSimpleName());
    }
    return found.get(0);
  }

  <T extends HasMetadata> Optional<T> named(Class<T> type, String name) {
    return all(type).filter(one -> name.equals(one.getMetadata().getName())).findFirst();
  }

  StatefulSet nodes() {
    return only(StatefulSet.class);
  }

  PodSpec pod() {
    return nodes().getSpec().getTemplate().getSpec();
  }

  Map<String, String> podLabels() {
    return nodes().getSpec().getTemplate().getMetadata().getLabels();
  }

  Map<String, String> podAnnotations() {
    return nodes().getSpec().getTemplate().getMetadata().getAnnotations();
  }

  Container container() {
    List<Container> containers = pod().getContainers();
    if (containers.size() != 1) {
      throw new IllegalArgumentException(containers.size() + " containers");
    }
    return containers.get(0);
  }

  /** Returns the variables of the container that are settings of ours. */
  Map<String, String> settings() {
    return container().getEnvFrom().stream()
        .map(from -> from.getConfigMapRef().getName())
        .flatMap(name -> named(ConfigMap.class, name).stream())
        .map(ConfigMap::getData)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no ConfigMap has the settings"));
  }

  /** Returns a variable that the container has besides. */
  String variable(String name) {
    return container().getEnv().stream()
        .filter(variable -> variable.getName().equals(name))
        .map(variable -> Objects.requireNonNullElse(variable.getValue(), ""))
        .findFirst()
        .orElse("");
  }

  /** Returns the number of a port of the container, given as number or name; 0 if there is none. */
  int port(IntOrString port) {
    if (port.getStrVal() == null) {
      return port.getIntVal();
    }
    return container().getPorts().stream()
        .filter(one -> port.getStrVal().equals(one.getName()))
        .mapToInt(one -> one.getContainerPort())
        .findFirst()
        .orElse(0);
  }

  Stream<Service> services() {
    return all(Service.class);
  }

  /** Whether a selector finds the pods. */
  boolean selectsPods(Map<String, String> selector) {
    return selects(selector, podLabels());
  }

  static boolean selects(Map<String, String> selector, Map<String, String> labels) {
    return !selector.isEmpty() && labels.entrySet().containsAll(selector.entrySet());
  }
}
