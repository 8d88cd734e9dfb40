package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/** The settings of a broker that is controller, too, and alone. Thread safety: immutable. */
record KafkaSettings(KafkaDirectories directories, int clientPort, int controllerPort) {

  /** Picks two ports that are free at this moment. */
  static KafkaSettings onFreePorts(KafkaDirectories directories) {
    return new KafkaSettings(directories, FreePorts.next(), FreePorts.next());
  }

  /** Writes {@code server.properties}. */
  void write(Path file, Map<String, String> overrides) {
    Properties settings = new Properties();
    settings.putAll(quorum());
    settings.putAll(internalTopics());
    // Tests write records of any year, and none may be deleted behind their back.
    settings.setProperty("log.retention.ms", "-1");
    settings.setProperty("log.message.timestamp.after.max.ms", String.valueOf(Long.MAX_VALUE));
    settings.setProperty("group.initial.rebalance.delay.ms", "0");
    settings.putAll(overrides);
    try (var writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      settings.store(writer, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, String> quorum() {
    String client = "127.0.0.1:" + clientPort;
    String controller = "127.0.0.1:" + controllerPort;
    return Map.of(
        "process.roles",
        "broker,controller",
        "node.id",
        directories.nodeId(),
        "controller.quorum.voters",
        directories.nodeId() + "@" + controller,
        "listeners",
        "PLAINTEXT://" + client + ",CONTROLLER://" + controller,
        "advertised.listeners",
        "PLAINTEXT://" + client,
        "controller.listener.names",
        "CONTROLLER",
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs",
        directories.logDir().toString(),
        "metadata.log.dir",
        directories.metadataDir().toString());
  }

  private static Map<String, String> internalTopics() {
    return Map.of(
        "offsets.topic.num.partitions",
        "1",
        "offsets.topic.replication.factor",
        "1",
        "transaction.state.log.num.partitions",
        "1",
        "transaction.state.log.replication.factor",
        "1",
        "transaction.state.log.min.isr",
        "1");
  }
}
