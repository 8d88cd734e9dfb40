package io.whence.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The leader epochs of a partition, in the form of Kafka. An entry is {@code epoch startOffset}.
 * Invariant: epochs and their start offsets increase. Thread safety: single-writer.
 */
public final class LeaderEpochCheckpoint {
  /** The name of the file in the directory of a partition. */
  public static final String FILE_NAME = "leader-epoch-checkpoint";

  private static final int FIELDS = 2;

  private final AtomicFile file;

  /** Makes a checkpoint; touches no file. */
  public LeaderEpochCheckpoint(Path path) {
    file = new AtomicFile(path);
  }

  /**
   * Reads the epochs, the oldest first; none when there is no file.
   *
   * @throws CorruptFileException if the file does not have the form or the entries do not increase
   */
  public List<EpochEntry> read() throws IOException {
    List<EpochEntry> entries = new ArrayList<>();
    for (CheckpointLines.Line line : CheckpointLines.read(file, FIELDS)) {
      EpochEntry entry =
          new EpochEntry((int) line.number(0, Integer.MAX_VALUE), line.number(1, Long.MAX_VALUE));
      if (!entries.isEmpty() && !isAfter(entry, entries.get(entries.size() - 1))) {
        throw line.corrupt("an epoch after " + entries.get(entries.size() - 1), entry.toString());
      }
      entries.add(entry);
    }
    return List.copyOf(entries);
  }

  /** Replaces the epochs; on the disk when it returns. */
  public void write(List<EpochEntry> entries) throws IOException {
    List<String> lines = new ArrayList<>();
    for (EpochEntry entry : entries) {
      lines.add(entry.epoch() + " " + entry.startOffset());
    }
    CheckpointLines.write(file, lines);
  }

  private static boolean isAfter(EpochEntry entry, EpochEntry previous) {
    return entry.epoch() > previous.epoch() && entry.startOffset() > previous.startOffset();
  }
}
