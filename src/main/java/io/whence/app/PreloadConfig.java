package io.whence.app;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.WithDefault;
import io.whence.log.PreloadOptions.Mode;
import java.time.Duration;
import java.util.Optional;

/** The time indexes that are held in memory, below {@code whence.preload.}. */
public interface PreloadConfig {
  /**
   * How much memory they may take, for all sources together. Those of segments that are appended to
   * are always held and count; of the others, the newest are, and lookups elsewhere read the log.
   * Default: a quarter of the heap.
   */
  Optional<MemorySize> memory();

  /**
   * {@code all} loads all that there is room for, newest first, before the server is ready; {@code
   * recent} is ready when those are loaded that {@code whence.preload.recent} names, and loads the
   * rest behind; {@code lazy} loads those that lookups ask for. Default: all.
   */
  @WithDefault("all")
  Mode mode();

  /**
   * In mode {@code recent}: how near to the newest record of all the newest record of a segment
   * must be for the server to wait for it. Default: 1 day.
   */
  @WithDefault("1d")
  Duration recent();
}
