package io.whence.app;

import io.smallrye.config.WithDefault;
import java.net.URI;
import java.util.Optional;

/** The traces of calls, below {@code whence.traces.}. */
public interface TracesConfig {
  /**
   * Where they are sent: the address of an OTLP receiver that speaks gRPC, such as {@code
   * http://localhost:4317}. Default: nowhere, and none are made.
   */
  Optional<URI> endpoint();

  /**
   * Which share of the calls that come without a decision of their caller is traced, from 0 to 1.
   * Default: 1.
   */
  @WithDefault("1.0")
  double ratio();
}
