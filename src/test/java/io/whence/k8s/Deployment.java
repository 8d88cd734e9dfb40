package io.whence.k8s;

import io.whence.testkit.Kustomize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An overlay, with components or without, as somebody would deploy it. Thread safety: immutable.
 */
enum Deployment {
  EMBEDDED("embedded"),
  EMBEDDED_ALL("embedded", "tls", "monitoring", "tracing"),
  KAFKA("kafka"),
  KAFKA_TLS("kafka", "tls"),
  KAFKA_MONITORING("kafka", "monitoring"),
  KAFKA_STACK("kafka", "monitoring", "prometheus-stack"),
  MESH("mesh"),
  MESH_MONITORING("mesh", "monitoring"),
  MESH_TRACING("mesh", "tracing");

  private static final Path SCRATCH = Path.of("target/kustomize/deployments");
  private static final Map<Deployment, String> YAML = new ConcurrentHashMap<>();

  private final String overlay;
  private final List<String> components;

  Deployment(String overlay, String... components) {
    this.overlay = overlay;
    this.components = List.of(components);
  }

  /** Returns its documents. */
  String yaml() {
    return YAML.computeIfAbsent(this, Deployment::render);
  }

  boolean isMesh() {
    return overlay.equals("mesh");
  }

  /** Returns all that is wrong with documents of this kind. */
  List<String> problems(String yaml) {
    Problems problems = new Problems();
    try {
      Rendered rendered = Rendered.parse(yaml);
      ProbeRules.check(rendered, problems);
      StopRules.check(rendered, problems);
      PlaceRules.check(rendered, problems);
      EgressRules.check(rendered, problems);
      PodRules.check(rendered, problems);
      MemoryRules.check(rendered, problems);
      if (isMesh()) {
        MeshRules.check(rendered, problems);
      }
    } catch (IllegalArgumentException e) {
      problems.unless(false, "%s", e.getMessage());
    }
    return problems.found();
  }

  private String render() {
    if (components.isEmpty()) {
      return Kustomize.render(Path.of("k8s/overlays").resolve(overlay));
    }
    StringBuilder text = new StringBuilder("kind: Kustomization\n");
    text.append("apiVersion: kustomize.config.k8s.io/v1beta1\nresources:\n");
    text.append("  - ../../../../k8s/overlays/").append(overlay).append("\ncomponents:\n");
    components.forEach(one -> text.append("  - ../../../../k8s/components/" + one + "\n"));
    try {
      Path directory = Files.createDirectories(SCRATCH.resolve(name()));
      Files.writeString(directory.resolve("kustomization.yaml"), text);
      return Kustomize.render(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
