package io.whence.app;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** What one call may ask for, below {@code whence.limits.}. */
public interface LimitsConfig {
  /** How many partitions a call may ask about or commit, in all together. Default: 20000. */
  @WithDefault("20000")
  int partitionsPerCall();

  /**
   * How many offsets ResolveOffset may ask about, and how many changes FetchOffset. Default:
   * 100000.
   */
  @WithDefault("100000")
  int offsetsPerCall();

  /** How many records an Append call may carry. Default: 100000. */
  @WithDefault("100000")
  int recordsPerAppend();

  /** How many calls may be waiting or in work at one time. Default: 2000. */
  @WithDefault("2000")
  int callsInFlight();

  /** How many of these may be of one connection. Default: 500. */
  @WithDefault("500")
  int callsInFlightPerConnection();

  /** How long a call may take whose client set no deadline. Default: 30s. */
  @WithDefault("30s")
  Duration defaultDeadline();

  /**
   * How long a client of StreamResolveTimestamp may leave answers unread before its stream is
   * ended. Default: 30s.
   */
  @WithDefault("30s")
  Duration streamStall();

  /** How many WatchTimestamp calls there may be at one time. Default: 1000. */
  @WithDefault("1000")
  int watches();

  /** How many partitions these may watch together. Default: 100000. */
  @WithDefault("100000")
  int watchedPartitions();

  /** How long a client may leave the events of a watch unread before it is ended. Default: 30s. */
  @WithDefault("30s")
  Duration watchStall();
}
