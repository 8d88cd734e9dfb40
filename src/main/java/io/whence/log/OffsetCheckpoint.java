package io.whence.log;

import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One offset per partition of a log directory, in the form of Kafka: recovery points, log start
 * offsets, or high watermarks, one file for each. An entry is {@code topic partition offset}.
 * Thread safety: single-writer.
 */
public final class OffsetCheckpoint {
  /** The file of recovery points: offsets below are on the disk. */
  public static final String RECOVERY_POINT = "recovery-point-offset-checkpoint";

  /** The file of log start offsets that are above the first segment. */
  public static final String LOG_START_OFFSET = "log-start-offset-checkpoint";

  /** The file of high watermarks. */
  public static final String HIGH_WATERMARK = "replication-offset-checkpoint";

  private static final int FIELDS = 3;

  private final AtomicFile file;

  /** Makes a checkpoint; touches no file. */
  public OffsetCheckpoint(Path path) {
    file = new AtomicFile(path);
  }

  /**
   * Reads the offsets; none when there is no file. A partition that stands there twice has the last
   * offset.
   *
   * @throws CorruptFileException if the file does not have the form
   */
  public Map<TopicPartition, Long> read() throws IOException {
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    for (CheckpointLines.Line line : CheckpointLines.read(file, FIELDS)) {
      int partition = (int) line.number(1, Integer.MAX_VALUE);
      offsets.put(new TopicPartition(line.text(0), partition), line.number(2, Long.MAX_VALUE));
    }
    return Collections.unmodifiableMap(offsets);
  }

  /** Replaces the offsets; on the disk when it returns. */
  public void write(Map<TopicPartition, Long> offsets) throws IOException {
    List<String> lines = new ArrayList<>();
    offsets.forEach(
        (partition, offset) ->
            lines.add(partition.topic() + " " + partition.partition() + " " + offset));
    CheckpointLines.write(file, lines);
  }
}
