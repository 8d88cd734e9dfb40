package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Properties;
import java.util.UUID;

/**
 * The directories of a broker: its logs ({@code log.dirs}) and the metadata of its cluster ({@code
 * metadata.log.dir}). Thread safety: immutable.
 *
 * @param logDir the partitions
 * @param metadataDir the metadata log
 */
record KafkaDirectories(Path logDir, Path metadataDir) {

  /**
   * Makes the directories and writes {@code meta.properties} where there is none, of one cluster
   * and node. This is all that formatting does for a quorum of fixed voters.
   */
  void format() {
    Properties known = load(logDir);
    if (known.isEmpty()) {
      known = load(metadataDir);
    }
    format(known.getProperty("cluster.id", randomId()), known.getProperty("node.id", "1"));
  }

  /** Likewise, for a node of a given cluster. */
  void format(String clusterId, String nodeId) {
    write(logDir, clusterId, nodeId);
    write(metadataDir, clusterId, nodeId);
  }

  /** Returns the node that the directories belong to. */
  String nodeId() {
    return load(logDir).getProperty("node.id");
  }

  private static void write(Path directory, String clusterId, String nodeId) {
    Path file = directory.resolve("meta.properties");
    String text =
        "version=1\ncluster.id=%s\nnode.id=%s\ndirectory.id=%s\n"
            .formatted(clusterId, nodeId, randomId());
    try {
      Files.createDirectories(directory);
      if (!Files.exists(file)) {
        Files.writeString(file, text);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Properties load(Path directory) {
    Properties properties = new Properties();
    Path file = directory.resolve("meta.properties");
    if (Files.exists(file)) {
      try (var reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        properties.load(reader);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return properties;
  }

  /** Makes an id for a cluster or a directory. */
  static String randomId() {
    UUID id = UUID.randomUUID();
    ByteBuffer bytes =
        ByteBuffer.allocate(16)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits());
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    // Kafka's tools take a leading dash for an option, and so Kafka never makes such ids.
    return text.startsWith("-") ? "A" + text.substring(1) : text;
  }
}
