package io.whence.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;

/**
 * A real cluster on loopback: a controller, node 1, and two brokers, nodes 2 and 3, each in a
 * process of its own. Brokers can be stopped, killed, paused and started again alone. Thread
 * safety: single-writer.
 */
public final class KafkaCluster implements AutoCloseable {
  /** The node ids of the brokers. */
  public static final List<Integer> BROKERS = List.of(2, 3);

  private static final String CONTROLLER_ID = "1";

  private final Path home;
  private final String clusterId = KafkaDirectories.randomId();
  private final List<KafkaBroker> nodes = new ArrayList<>();

  private KafkaCluster(Path home) {
    this.home = home;
  }

  /**
   * Starts a cluster on fresh directories.
   *
   * @param overrides settings of all nodes that replace those of the kit
   */
  public static KafkaCluster start(Map<String, String> overrides) {
    KafkaCluster cluster = new KafkaCluster(Directories.temporary("whence-cluster"));
    try {
      cluster.startController(overrides);
      BROKERS.forEach(id -> cluster.startBroker(id, overrides));
    } catch (IllegalStateException e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  private void startController(Map<String, String> overrides) {
    nodes.add(
        KafkaBroker.start(
            directories(CONTROLLER_ID),
            settings -> {
              String listener = "CONTROLLER://127.0.0.1:" + settings.controllerPort();
              Map<String, String> all = new HashMap<>(overrides);
              all.put("process.roles", "controller");
              all.put("listeners", listener);
              all.put("advertised.listeners", listener);
              return all;
            }));
  }

  private void startBroker(int id, Map<String, String> overrides) {
    String voter = CONTROLLER_ID + "@" + nodes.get(0).controllerAddress();
    nodes.add(
        KafkaBroker.start(
            directories(String.valueOf(id)),
            settings -> {
              Map<String, String> all = new HashMap<>(overrides);
              all.put("process.roles", "broker");
              all.put("controller.quorum.voters", voter);
              all.put("listeners", "PLAINTEXT://127.0.0.1:" + settings.clientPort());
              return all;
            }));
  }

  private KafkaDirectories directories(String nodeId) {
    Path node = home.resolve(nodeId);
    KafkaDirectories directories =
        new KafkaDirectories(node.resolve("data"), node.resolve("metadata"));
    directories.format(clusterId, nodeId);
    return directories;
  }

  /** Returns a broker, by its node id. */
  public KafkaBroker broker(int id) {
    return nodes.get(id - 1);
  }

  /** Returns the addresses of all brokers for clients. */
  public String bootstrapServers() {
    return BROKERS.stream()
        .map(id -> broker(id).bootstrapServers())
        .collect(Collectors.joining(","));
  }

  /** Makes a client for administration; the caller closes it. */
  public Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", bootstrapServers()));
  }

  /** Kills all nodes that are running, and removes their directories. */
  @Override
  public void close() {
    nodes.forEach(KafkaBroker::close);
    Directories.delete(home);
  }
}
