package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.record.BatchFormat;
import io.whence.record.CompressionCodec;
import io.whence.record.InvalidBatchException;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.util.BitSet;

/**
 * Which records of a segment a compaction is to drop. Nothing changes them once {@link #of} has
 * returned.
 *
 * @param segment the segment
 * @param dropped the records to drop, numbered from 0 through all data records of the segment
 * @param keptBytes about how many bytes will be left of it
 */
record SegmentSurvey(LogSegment segment, BitSet dropped, long keptBytes) {

  /**
   * Asks about each data record of a segment.
   *
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} if not all of it can be read
   */
  static SegmentSurvey of(LogSegment segment, RecordKeeper keeper, Cancellation cancellation) {
    SealedBatches batches = new SealedBatches(segment.view(), cancellation);
    RecordCursor records = new RecordCursor(BlockReader.MAX_DECOMPRESSED_BYTES);
    BitSet dropped = new BitSet();
    int first = 0;
    long keptBytes = 0;
    while (batches.next()) {
      RecordBatch batch = batches.batch();
      if (staysAsItIs(batch)) {
        keptBytes += batch.sizeInBytes();
        continue;
      }
      try {
        records.reset(batch, cancellation);
        keptBytes += ask(batch, records, keeper, first, dropped);
      } catch (InvalidBatchException e) {
        throw batches.damaged("records as the header says", String.valueOf(e.getMessage()));
      } finally {
        records.release();
      }
      first += batch.recordCount();
    }
    return new SegmentSurvey(segment, dropped, keptBytes);
  }

  /** Returns whether a batch is about transactions, and not about data. */
  static boolean staysAsItIs(RecordBatch batch) {
    return batch.isControl() || (batch.isTransactional() && batch.recordCount() == 0);
  }

  /** Asks about the records of a batch. Returns how many bytes will be left of it. */
  private static long ask(
      RecordBatch batch, RecordCursor records, RecordKeeper keeper, int first, BitSet dropped) {
    long keptBytes = 0;
    for (int i = first; records.next(); i++) {
      if (keeper.keeps(batch, records)) {
        keptBytes += records.sizeInBytes();
      } else {
        dropped.set(i);
      }
    }
    if (keptBytes == 0 || batch.codec() != CompressionCodec.NONE) {
      return keptBytes == 0 ? 0 : batch.sizeInBytes();
    }
    return BatchFormat.RECORDS + keptBytes;
  }

  /** Returns whether all of a run of records are kept. */
  boolean keepsAll(int first, int count) {
    int next = dropped.nextSetBit(first);
    return next < 0 || next >= first + count;
  }

  /** Returns whether none of a run of records is kept. */
  boolean keepsNone(int first, int count) {
    return dropped.nextClearBit(first) >= first + count;
  }
}
