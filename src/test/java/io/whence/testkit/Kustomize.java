package io.whence.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Kustomize, built from its Go module below {@code target/} when it is not there yet, with the Go
 * of the machine. Thread safety: thread-safe.
 */
public final class Kustomize {
  /** The newest that Go 1.26 builds. */
  private static final String VERSION = "v5.8.1";

  private static final Duration BUILD_LIMIT = Duration.ofMinutes(5);
  private static final Duration RUN_LIMIT = Duration.ofSeconds(30);
  private static final Path HOME = Build.directory().resolve("target/kustomize/" + VERSION);

  private Kustomize() {}

  /**
   * Renders a directory that has a kustomization.yaml, and returns its documents.
   *
   * @throws IllegalStateException if kustomize can't be built, or refuses, with what it said
   */
  public static String render(Path directory) {
    return Command.run(
        List.of(program().toString(), "build", directory.toString()), Build.directory(), RUN_LIMIT);
  }

  private static synchronized Path program() {
    Path program = HOME.resolve("kustomize");
    if (!Files.isExecutable(program)) {
      Command.run(
          List.of(
              "env",
              "GOBIN=" + HOME,
              "GOFLAGS=",
              "go",
              "install",
              "sigs.k8s.io/kustomize/kustomize/v5@" + VERSION),
          Build.directory(),
          BUILD_LIMIT);
    }
    return program;
  }
}
