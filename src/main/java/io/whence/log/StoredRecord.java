package io.whence.log;

import io.whence.model.RecordStamp;
import io.whence.record.SourceRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record read from a log.
 *
 * @param stamp offset, timestamp, epoch
 * @param key the key; null for none
 * @param value the value; null for none
 * @param headers the headers, in order
 */
@SuppressWarnings("ArrayRecordComponent")
public record StoredRecord(
    RecordStamp stamp,
    byte @Nullable [] key,
    byte @Nullable [] value,
    List<SourceRecord.Header> headers) {
  /** Copies the list of headers. */
  public StoredRecord {
    headers = List.copyOf(headers);
  }
}
