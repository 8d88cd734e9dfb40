package io.whence.app;

import io.smallrye.config.WithDefault;
import java.util.OptionalInt;

/** The pool that answers calls, below {@code whence.workers.}. */
public interface WorkersConfig {
  /** How many threads answer calls. Default: twice the processors, at least 4. */
  OptionalInt threads();

  /** How many calls may wait for a thread; more are turned away. Default: 1000. */
  @WithDefault("1000")
  int queue();
}
