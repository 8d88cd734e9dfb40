package io.whence.k8s;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.whence.app.WhenceConfig;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a pod may do is little, and what it writes lies on volumes. Thread safety: immutable. */
final class PodRules {
  private static final Set<Path> WRITABLE = Set.of(Path.of("/tmp"), Path.of("/var/lib/whence"));

  private PodRules() {}

  static void check(Rendered rendered, Problems problems) {
    PodSpec pod = rendered.pod();
    problems.unless(
        Boolean.FALSE.equals(pod.getEnableServiceLinks()),
        "enableServiceLinks: variables WHENCE_… of services would be taken for settings");
    problems.unless(
        Boolean.FALSE.equals(pod.getAutomountServiceAccountToken()),
        "automountServiceAccountToken: nobody needs it");
    restricted(pod.getSecurityContext(), problems);
    restricted(rendered.container().getSecurityContext(), problems);
    volumes(rendered, problems);
    files(rendered, problems);
  }

  private static void restricted(PodSecurityContext context, Problems problems) {
    problems.unless(Boolean.TRUE.equals(context.getRunAsNonRoot()), "runAsNonRoot: is not set");
    problems.unless(context.getRunAsUser() >= 10_000, "runAsUser: may be a user of the machine");
    problems.unless(
        context.getRunAsGroup().equals(context.getFsGroup()), "fsGroup: can't write to volumes");
    problems.unless(
        "RuntimeDefault".equals(context.getSeccompProfile().getType()), "seccompProfile: is off");
  }

  private static void restricted(SecurityContext context, Problems problems) {
    problems.unless(
        Boolean.FALSE.equals(context.getAllowPrivilegeEscalation()),
        "allowPrivilegeEscalation: is not off");
    problems.unless(
        Boolean.TRUE.equals(context.getReadOnlyRootFilesystem()),
        "readOnlyRootFilesystem: is not set");
    problems.unless(
        context.getCapabilities().getDrop().equals(List.of("ALL"))
            && context.getCapabilities().getAdd().isEmpty(),
        "capabilities: some are left");
  }

  private static void volumes(Rendered rendered, Problems problems) {
    Container container = rendered.container();
    Set<Path> writable =
        container.getVolumeMounts().stream()
            .filter(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
            .map(mount -> Path.of(mount.getMountPath()))
            .collect(Collectors.toSet());
    problems.unless(
        writable.equals(WRITABLE), "volumeMounts: %s are writable, not %s", writable, WRITABLE);
    Set<String> volumes =
        rendered.pod().getVolumes().stream()
            .map(volume -> volume.getName())
            .collect(Collectors.toSet());
    rendered
        .nodes()
        .getSpec()
        .getVolumeClaimTemplates()
        .forEach(claim -> volumes.add(claim.getMetadata().getName()));
    for (VolumeMount mount : container.getVolumeMounts()) {
      problems.unless(
          volumes.contains(mount.getName()), "volumeMounts: no volume %s", mount.getName());
    }
  }

  /** Each path of a setting is on the volume that it belongs to. */
  private static void files(Rendered rendered, Problems problems) {
    WhenceConfig config = ServerSettings.of(rendered.settings());
    if (config.embedded().enabled()) {
      lies(rendered, "whence.data", config.data(), true, problems);
    }
    config
        .kafka()
        .forEach(
            (name, kafka) -> {
              String key = "whence.kafka." + name;
              kafka.dir().ifPresent(dir -> lies(rendered, key + ".dir", dir, true, problems));
              kafka
                  .clientProperties()
                  .ifPresent(
                      file -> lies(rendered, key + ".client-properties", file, false, problems));
            });
    for (String variable : List.of("WHENCE_GRPC_TLS_CERTIFICATE", "WHENCE_GRPC_TLS_KEY")) {
      Optional.ofNullable(rendered.settings().get(variable))
          .ifPresent(file -> lies(rendered, variable, Path.of(file), false, problems));
    }
    Map<String, String> settings = rendered.settings();
    problems.unless(
        "true".equals(settings.get("WHENCE_GRPC_ALLOW_PLAINTEXT"))
            != settings.containsKey("WHENCE_GRPC_TLS_CERTIFICATE"),
        "whence.grpc.allow-plaintext: must be true without TLS, and only then");
  }

  private static void lies(
      Rendered rendered, String key, Path path, boolean writable, Problems problems) {
    Optional<VolumeMount> mount =
        rendered.container().getVolumeMounts().stream()
            .filter(one -> path.startsWith(one.getMountPath()))
            .max(Comparator.comparingInt(one -> one.getMountPath().length()));
    problems.unless(
        mount
            .filter(one -> writable != Boolean.TRUE.equals(one.getReadOnly()))
            .filter(one -> !path.equals(Path.of(one.getMountPath())))
            .isPresent(),
        "%s: %s lies on no volume for it",
        key,
        path);
  }
}
