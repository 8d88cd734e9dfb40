package io.whence.log;

import io.whence.model.TopicId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Which topic a partition directory belongs to, in the form of Kafka. Thread safety: single-writer.
 *
 * <pre>
 *   version: 0
 *   topic_id: 8NzuRQeJQ86ZEfx73KWQQw
 * </pre>
 */
public final class PartitionMetadataFile {
  /** The name of the file in the directory of a partition. */
  public static final String FILE_NAME = "partition.metadata";

  private static final String VERSION_LINE = "version: 0";
  private static final String TOPIC_ID = "topic_id: ";

  private final AtomicFile file;

  /** Makes a file; touches no file. */
  public PartitionMetadataFile(Path path) {
    file = new AtomicFile(path);
  }

  /**
   * Reads the id of the topic, if there is a file.
   *
   * @throws CorruptFileException if the file does not have the form
   */
  public Optional<TopicId> read() throws IOException {
    return file.readText().map(this::parse);
  }

  private TopicId parse(String text) {
    List<String> lines = text.lines().toList();
    String version = lineAt(lines, 0);
    if (!version.equals(VERSION_LINE)) {
      throw corrupt(0, VERSION_LINE, version);
    }
    String id = lineAt(lines, 1);
    if (!id.startsWith(TOPIC_ID)) {
      throw corrupt(1, TOPIC_ID + "and an id", id);
    }
    try {
      return TopicId.parse(id.substring(TOPIC_ID.length()));
    } catch (IllegalArgumentException e) {
      throw corrupt(1, "22 characters of URL-safe base64", id);
    }
  }

  private static String lineAt(List<String> lines, int index) {
    return index < lines.size() ? lines.get(index) : "";
  }

  private CorruptFileException corrupt(int index, String expected, String line) {
    return new CorruptFileException(file.path(), "line " + (index + 1), expected, "'" + line + "'");
  }

  /** Replaces the file; on the disk when it returns. */
  public void write(TopicId topicId) throws IOException {
    file.writeText(VERSION_LINE + "\n" + TOPIC_ID + topicId);
  }
}
