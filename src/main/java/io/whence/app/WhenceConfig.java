package io.whence.app;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of the server, below {@code whence.}. Unknown keys and bad values fail the start.
 */
@ConfigMapping(prefix = "whence")
public interface WhenceConfig {
  /** The directory of the embedded source's logs. Default: {@code whence-data}. */
  @WithDefault("whence-data")
  Path data();

  /** The source whose logs this server owns. */
  EmbeddedConfig embedded();

  /** The archives: Kafka data directories that are opened read-only, by the name of the source. */
  Map<String, ArchiveConfig> archive();

  /** The Kafka clusters that are followed, by the name of the source. */
  Map<String, KafkaConfig> kafka();

  /** Index data that is read from files when it is needed. */
  IndexCacheConfig indexCache();

  /** The time indexes that are held in memory. */
  PreloadConfig preload();

  /** The offsets that groups commit. */
  GroupsConfig groups();

  /** What one call may ask for. */
  LimitsConfig limits();

  /** The pools that answer calls. */
  WorkersConfig workers();

  /** How the server stops. */
  ShutdownConfig shutdown();

  /** The gRPC server. */
  GrpcConfig grpc();

  /** The HTTP server of metrics and health. */
  HttpConfig http();

  /** What the server logs. */
  LoggingConfig log();

  /** The traces of calls. */
  TracesConfig traces();

  /** Index data that is read from files when it is needed. */
  interface IndexCacheConfig {
    /**
     * How much memory it may take, for all sources together; 0 for none. A segment of 1 GiB takes
     * up to 13 MiB. Default: 64 MiB.
     */
    @WithDefault("64M")
    MemorySize memory();
  }

  /** The source whose logs this server owns. */
  interface EmbeddedConfig {
    /** Whether there is one. Default: true. */
    @WithDefault("true")
    boolean enabled();

    /** How many threads wait for the disk. Default: 4. */
    @WithDefault("4")
    int flushThreads();

    /** How often segments that are too old or too much are deleted. Default: 5 minutes. */
    @WithDefault("5m")
    Duration retentionInterval();

    /**
     * How long files of deleted segments stay, for calls that still read them. Default: 1 minute.
     */
    @WithDefault("1m")
    Duration fileDeleteDelay();
  }

  /** A Kafka data directory, or several of one broker. */
  interface ArchiveConfig {
    /** The directories, those of {@code log.dirs} of the broker. Required. */
    List<Path> dirs();

    /** Answers around damage instead of refusing damaged segments. Default: false. */
    @WithDefault("false")
    boolean salvage();

    /** A regular expression that whole topic names must match. Default: all topics. */
    Optional<String> topics();

    /**
     * A directory of ours for index data, so that the next start is fast. Default: one below {@code
     * <whence.data>-cache}.
     */
    Optional<Path> cache();
  }
}
