package io.whence.app;

import io.smallrye.config.WithDefault;

/** What the server logs, below {@code whence.log.}. */
public interface LoggingConfig {
  /**
   * Whether each line of the log is a JSON object, and not text; Quarkus reads it, in
   * application.properties. Default: false.
   */
  @WithDefault("false")
  boolean json();
}
