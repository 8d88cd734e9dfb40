package io.whence.app;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A Kafka cluster that is followed. */
public interface KafkaConfig {
  /** Some brokers of it, as {@code host:port}. Required. */
  List<String> bootstrap();

  /** Settings of Kafka's clients, by Kafka's names. Default: none. */
  Map<String, String> client();

  /** A file of such settings, in the format of Java's properties. Default: none. */
  Optional<Path> clientProperties();

  /** A regular expression that whole topic names must match. Default: all topics. */
  Optional<String> topics();

  /** A regular expression for topics that are left out all the same. Default: none. */
  Optional<String> exclude();

  /** Where to begin: {@code earliest}, {@code latest} or how long ago. Default: earliest. */
  @WithDefault(StartSetting.EARLIEST)
  String start();

  /** Where its logs are kept. Default: one below {@code <whence.data>-kafka}. */
  Optional<Path> dir();

  /** How many connections to each broker fetch. Default: 1. */
  @WithDefault("1")
  int lanes();

  /** How often the cluster is asked for its topics. Default: 30 seconds. */
  @WithDefault("30s")
  Duration refresh();

  /** How long one question to the cluster may take. Default: 5 seconds. */
  @WithDefault("5s")
  Duration requestTimeout();

  /** How old an answer may be. Default: 30 seconds. */
  @WithDefault("30s")
  Duration maxStaleness();

  /** How often the lags of groups are looked at, for metrics; 0 for never. Default: 30 seconds. */
  @WithDefault("30s")
  Duration lagInterval();

  /** A regular expression that whole names of these groups must match. Default: all groups. */
  Optional<String> lagGroups();

  /** How many pairs of a group and a topic have a lag metric of their own. Default: 1,000. */
  @WithDefault("1000")
  int lagMaxSeries();

  /**
   * How often compacted topics are looked at for records that the cluster has removed. Default: 5
   * minutes.
   */
  @WithDefault("5m")
  Duration compactionCheck();
}
