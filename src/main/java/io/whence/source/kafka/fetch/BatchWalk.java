package io.whence.source.kafka.fetch;

import io.whence.record.BatchFault;
import io.whence.record.BatchFormat;
import io.whence.record.BatchValidator;
import io.whence.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Goes through the headers of fetched batches, to see where the next fetch begins without reading a
 * record. Invariant: the position never goes back. Thread safety: single-writer.
 */
final class BatchWalk {
  private static final int NO_OFFSET = -1;

  private final RecordBatch batch = new RecordBatch();
  private int end;
  private long nextOffset;
  private long records;
  private int lastEpoch;
  private Optional<BatchFault> fault = Optional.empty();
  private boolean oldFormat;

  /**
   * Walks to the last whole batch, or to one with a broken header.
   *
   * @param buffer batches from position 0 to its limit; the last one may be cut off
   * @param from what was asked for
   */
  void walk(ByteBuffer buffer, FetchPosition from) {
    end = 0;
    nextOffset = from.nextOffset();
    lastEpoch = from.lastEpoch();
    records = 0;
    fault = Optional.empty();
    oldFormat = false;
    long previous = NO_OFFSET;
    while (isWhole(buffer)) {
      int remaining = buffer.limit() - end;
      fault = BatchValidator.headerFault(batch, remaining, previous);
      if (fault.isPresent()) {
        oldFormat = remaining > BatchFormat.MAGIC && batch.magic() < BatchFormat.MAGIC_V2;
        return;
      }
      previous = batch.lastOffset();
      records += batch.recordCount();
      nextOffset = Math.max(nextOffset, previous + 1);
      lastEpoch = Math.max(NO_OFFSET, batch.partitionLeaderEpoch());
      end += (int) batch.sizeInBytes();
    }
  }

  /** Brokers fill an answer to its limit, in the middle of a batch if it has to be. */
  private boolean isWhole(ByteBuffer buffer) {
    int remaining = buffer.limit() - end;
    if (remaining < BatchFormat.UNCOUNTED_BYTES) {
      return false;
    }
    batch.wrap(buffer, end);
    return batch.sizeInBytes() <= remaining;
  }

  /** Returns where the last whole batch ends. */
  int end() {
    return end;
  }

  /** Returns how many records the whole batches have. */
  long records() {
    return records;
  }

  /** Returns from where to go on. */
  FetchPosition next() {
    return new FetchPosition(nextOffset, lastEpoch);
  }

  /** Returns what is wrong with the batch at {@link #end}, if anything. */
  Optional<BatchFault> fault() {
    return fault;
  }

  /** Returns whether that batch is of a format older than the one that is read here. */
  boolean isOldFormat() {
    return oldFormat;
  }
}
