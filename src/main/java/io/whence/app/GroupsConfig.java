package io.whence.app;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** The offsets that groups commit, below {@code whence.groups.}. */
public interface GroupsConfig {
  /**
   * How long an offset stays that is not committed again, or whose group has no members; above 0.
   * Default: 7 days.
   */
  @WithDefault("7d")
  Duration retention();

  /** How often offsets that stayed for so long are removed; above 0. Default: 10 minutes. */
  @WithDefault("10m")
  Duration expiryInterval();

  /** How many of the latest changes are kept of each offset, 0 to 100. Default: 10. */
  @WithDefault("10")
  int history();

  /**
   * For how long a request is remembered by its id, so that sending it again does nothing twice;
   * above 0. Default: 15 minutes.
   */
  @WithDefault("15m")
  Duration requestWindow();

  /**
   * How many requests are remembered by their id; more are refused until the oldest has had its
   * time. Above 0. Default: 1000000.
   */
  @WithDefault("1000000")
  int maxRequests();

  /** For how long a plan of a reset can be applied; above 0. Default: 10 minutes. */
  @WithDefault("10m")
  Duration planTtl();

  /**
   * How long the metadata of a commit may be, in UTF-16 characters, 0 to 10,922: three bytes each,
   * that is what Kafka's format takes. Default: 4096.
   */
  @WithDefault("4096")
  int metadataMaxChars();

  /**
   * How large a segment of commits may become before another one begins, 1 MiB to 2 GiB. Only
   * segments that are no longer written are compacted. Default: 8 MiB.
   */
  @WithDefault("8M")
  MemorySize segmentBytes();

  /** How often commits that others replaced are removed from disk; above 0. Default: 1 minute. */
  @WithDefault("1m")
  Duration compactionInterval();
}
