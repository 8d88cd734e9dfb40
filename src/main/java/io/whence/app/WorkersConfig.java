package io.whence.app;

import io.smallrye.config.WithDefault;
import java.util.OptionalInt;

/**
 * The pools that answer calls, one for lookups and one for writes, below {@code whence.workers.}.
 */
public interface WorkersConfig {
  /** How many threads answer lookups. Default: twice the processors, at least 4. */
  OptionalInt threads();

  /** How many threads do the work of writes. Default: as many as for lookups. */
  OptionalInt writeThreads();

  /** How many calls of each pool may wait for a thread; more are turned away. Default: 1000. */
  @WithDefault("1000")
  int queue();
}
