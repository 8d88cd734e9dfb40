package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.RecordStamp;
import io.whence.model.WhenceException;
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
  /** A larger one is not read, since a few at a time would fill the heap; in bytes. */
  public static final long LARGEST_BYTES = Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 32);

  /** Copies the list of headers. */
  public StoredRecord {
    headers = List.copyOf(headers);
  }

  /** Returns the failure to read a record that is larger than what is read. */
  public static WhenceException tooLarge(long offset, long sizeInBytes, long largestBytes) {
    return WhenceException.of(
        ErrorReason.UNSUPPORTED,
        "the record at offset "
            + offset
            + " has "
            + sizeInBytes
            + " bytes, and this server reads none of more than "
            + largestBytes
            + ", a thirty-second of its memory: read from the next offset on, or start it with more"
            + " (-Xmx)",
        "offset",
        offset,
        "limit_bytes",
        largestBytes);
  }
}
