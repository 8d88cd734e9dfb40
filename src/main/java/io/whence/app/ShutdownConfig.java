package io.whence.app;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How the server stops, below {@code whence.shutdown.}. */
public interface ShutdownConfig {
  /**
   * How long the server goes on taking calls after it has told load balancers not to send any.
   * Default: 0s; behind a load balancer, some seconds.
   */
  @WithDefault("0s")
  Duration delay();

  /** How long calls in work may go on after that. Default: 10s. */
  @WithDefault("10s")
  Duration grace();
}
