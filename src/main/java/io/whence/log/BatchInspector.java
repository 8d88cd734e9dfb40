package io.whence.log;

import io.whence.record.ControlMarker;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;

/** Reads batches for what an index keeps of them. Thread safety: single-writer. */
final class BatchInspector {
  private final RecordCursor records = new RecordCursor(BlockReader.MAX_DECOMPRESSED_BYTES);

  /**
   * Reads a batch.
   *
   * @throws io.whence.record.InvalidBatchException if its records are not as the header says
   */
  BatchStats statsOf(RecordBatch batch) {
    BatchStats.Timestamps timestamps =
        new BatchStats.Timestamps(batch.timestampType(), batch.partitionLeaderEpoch());
    TransactionEvent event = eventOf(batch);
    if (!batch.isControl()) {
      addTimestamps(batch, timestamps);
    }
    return timestamps.toStats(
        batch.baseOffset(),
        batch.lastOffset(),
        (int) batch.sizeInBytes(),
        batch.maxTimestampMs(),
        event);
  }

  private void addTimestamps(RecordBatch batch, BatchStats.Timestamps timestamps) {
    try {
      records.reset(batch);
      while (records.next()) {
        timestamps.add((int) (records.offset() - batch.baseOffset()), records.timestampMs());
      }
    } finally {
      records.release();
    }
  }

  /** Returns the part that a batch plays in a transaction; looks at no records but a marker. */
  TransactionEvent eventOf(RecordBatch batch) {
    if (!batch.isTransactional()) {
      return TransactionEvent.NONE;
    }
    TransactionEvent.Kind kind =
        batch.isControl()
            ? switch (ControlMarker.of(batch, records)) {
              case COMMIT -> TransactionEvent.Kind.COMMIT;
              case ABORT -> TransactionEvent.Kind.ABORT;
              case OTHER -> TransactionEvent.Kind.NONE;
            }
            : TransactionEvent.Kind.DATA;
    return new TransactionEvent(kind, batch.producerId(), batch.baseOffset());
  }
}
