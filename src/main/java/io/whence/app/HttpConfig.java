package io.whence.app;

import io.smallrye.config.WithDefault;
import java.util.Optional;

/** The HTTP server of metrics and health, below {@code whence.http.}. */
public interface HttpConfig {
  /** The address to listen on. Default: that of the gRPC server. */
  Optional<String> host();

  /** The port to listen on; 0 for any. Default: 8080. */
  @WithDefault("8080")
  int port();

  /**
   * Allows other than loopback addresses; health and metrics are never encrypted. Default: false,
   * or that of the gRPC server where they have no address of their own.
   */
  @WithDefault("false")
  boolean allowPlaintext();
}
