package io.whence.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the leader epochs of a followed log begin. Invariant: an epoch is on disk before a batch of
 * it is written. Thread safety: single-writer.
 */
final class FollowedEpochs {
  private final LeaderEpochCheckpoint file;
  private LeaderEpochs all;

  private FollowedEpochs(LeaderEpochCheckpoint file, LeaderEpochs all) {
    this.file = file;
    this.all = all;
  }

  /**
   * Reads what is on disk.
   *
   * @param endOffset what begins there or behind counts for nothing
   * @throws CorruptFileException if the file does not have its form
   */
  static FollowedEpochs read(Path directory, long endOffset) throws IOException {
    FollowedEpochs epochs = empty(directory);
    List<EpochEntry> entries = new ArrayList<>(epochs.file.read());
    entries.removeIf(entry -> entry.startOffset() >= endOffset);
    epochs.all = new LeaderEpochs(entries);
    return epochs;
  }

  /** Begins without epochs; what is on disk stays until one is added. */
  static FollowedEpochs empty(Path directory) {
    Path path = directory.resolve(LeaderEpochCheckpoint.FILE_NAME);
    return new FollowedEpochs(new LeaderEpochCheckpoint(path), LeaderEpochs.NONE);
  }

  /** Adds the epoch of a batch, if it is a new one. */
  void add(int epoch, long startOffset) throws IOException {
    List<EpochEntry> entries = all.entries();
    int last =
        entries.isEmpty() ? FollowPosition.NO_EPOCH : entries.get(entries.size() - 1).epoch();
    if (epoch > last) {
      List<EpochEntry> grown = new ArrayList<>(entries);
      // An epoch without a record, where a write failed.
      grown.removeIf(entry -> entry.startOffset() >= startOffset);
      grown.add(new EpochEntry(epoch, startOffset));
      file.write(grown);
      all = new LeaderEpochs(grown);
    }
  }

  /** Returns them as they are now. */
  LeaderEpochs all() {
    return all;
  }

  /**
   * Returns where the largest epoch ends that is not above one.
   *
   * @param firstOffset is returned if all are above
   * @param endOffset where the last one ends
   */
  long endOffset(int epoch, long firstOffset, long endOffset) {
    List<EpochEntry> entries = all.entries();
    long end = endOffset;
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (entries.get(i).epoch() <= epoch) {
        return end;
      }
      end = entries.get(i).startOffset();
    }
    return Math.min(end, firstOffset);
  }
}
