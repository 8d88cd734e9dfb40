package io.whence.log;

import io.whence.model.TopicId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The file that says which topics a data directory has, in the form of Kafka's checkpoints: name,
 * id, number of partitions and settings in a line. A topic with 0 partitions is being deleted.
 * Thread safety: single-writer.
 */
public final class TopicsFile {
  /** The name of the file. */
  public static final String FILE_NAME = "whence-topics";

  private static final int FIELDS = 4;
  private static final int MAX_PARTITIONS = 10_000;
  private static final String NO_SETTINGS = "-";

  private final AtomicFile file;

  /**
   * One topic.
   *
   * @param name the name
   * @param id the id
   * @param partitionCount how many partitions it has; 0 while it is being deleted
   * @param config the settings that were given, by Kafka's names
   */
  public record Entry(String name, TopicId id, int partitionCount, Map<String, String> config) {
    /** Copies the settings. */
    public Entry {
      config = Map.copyOf(config);
    }

    /** Returns whether the directories of the topic are still to be removed. */
    public boolean isDeleting() {
      return partitionCount == 0;
    }
  }

  /** Makes a file; touches none. */
  public TopicsFile(Path directory) {
    file = new AtomicFile(directory.resolve(FILE_NAME));
  }

  /**
   * Reads the topics; none when there is no file.
   *
   * @throws CorruptFileException if the file does not have the form
   */
  public List<Entry> read() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (CheckpointLines.Line line : CheckpointLines.read(file, FIELDS)) {
      entries.add(
          new Entry(
              line.text(0), idOf(line), (int) line.number(2, MAX_PARTITIONS), configOf(line)));
    }
    return entries;
  }

  /** Replaces the topics; on the disk when it returns. */
  public void write(Iterable<Entry> entries) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Entry entry : entries) {
      List<String> settings = new ArrayList<>();
      new TreeMap<>(entry.config()).forEach((key, value) -> settings.add(key + "=" + value));
      lines.add(
          entry.name()
              + " "
              + entry.id()
              + " "
              + entry.partitionCount()
              + " "
              + (settings.isEmpty() ? NO_SETTINGS : String.join(",", settings)));
    }
    CheckpointLines.write(file, lines);
  }

  private static TopicId idOf(CheckpointLines.Line line) {
    try {
      return TopicId.parse(line.text(1));
    } catch (IllegalArgumentException e) {
      throw line.corrupt("a topic id", "'" + line.text(1) + "'");
    }
  }

  private static Map<String, String> configOf(CheckpointLines.Line line) {
    Map<String, String> config = new LinkedHashMap<>();
    if (line.text(3).equals(NO_SETTINGS)) {
      return config;
    }
    for (String setting : line.text(3).split(",", -1)) {
      int equals = setting.indexOf('=');
      if (equals < 0) {
        throw line.corrupt("settings as key=value", "'" + line.text(3) + "'");
      }
      config.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return config;
  }
}
