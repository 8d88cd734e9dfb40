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
}
