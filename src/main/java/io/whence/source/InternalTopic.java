package io.whence.source;

import io.whence.log.AppendBatch;
import io.whence.log.LogSnapshot;
import io.whence.log.RecordKeeper;
import io.whence.model.OffsetRange;
import java.io.IOException;
import java.util.concurrent.CompletionStage;

/** A topic that only the server itself writes. Thread safety: thread-safe. */
public interface InternalTopic {
  /** Returns how many partitions it has. */
  int partitionCount();

  /** Returns the log of a partition as it is at this moment: what of it is on disk. */
  LogSnapshot snapshot(int partition);

  /**
   * Appends one batch if its first record gets the expected offset. Doesn't wait: the stage
   * completes when the batch is on disk, with the offsets of its records.
   *
   * @param expectedBaseOffset the offset that the caller thinks comes next: the end of all that it
   *     has appended, on disk or not. An earlier append that the disk refused moves it back.
   * @return fails with a {@link io.whence.model.WhenceException} when the batch is not in the log;
   *     with {@code CONFLICT} when another offset comes next
   */
  CompletionStage<OffsetRange> append(int partition, AppendBatch batch, long expectedBaseOffset);

  /**
   * Rewrites segments that are no longer appended to, without the records that need not be kept.
   * Kept records keep their offsets. Reads and writes files, and may take long.
   *
   * @param keeper decides; asked about each record of those segments once, in order of offsets
   * @return how many records were removed
   */
  long compact(int partition, RecordKeeper keeper) throws IOException;
}
