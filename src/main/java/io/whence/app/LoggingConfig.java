package io.whence.app;

import io.smallrye.config.WithDefault;

/** What the server logs, below {@code whence.log.}. */
public interface LoggingConfig {
  /** How a line looks; Quarkus reads it, in application.properties. Default: text. */
  @WithDefault("text")
  Format format();

  /** How a line looks. */
  enum Format {
    /** Time, level, logger and message. */
    TEXT,
    /** A JSON object. */
    JSON
  }
}
