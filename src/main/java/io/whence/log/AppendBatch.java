package io.whence.log;

import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import java.util.List;

/**
 * Records to append as one batch.
 *
 * @param records the records, in order; at least one
 * @param codec how to compress them
 */
public record AppendBatch(List<SourceRecord> records, CompressionCodec codec) {
  /** Rejects empty batches. */
  public AppendBatch {
    if (records.isEmpty()) {
      throw new IllegalArgumentException("records: a batch needs at least one record");
    }
    records = List.copyOf(records);
  }
}
