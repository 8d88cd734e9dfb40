package io.whence.record;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A record that is to be written. Its arrays are not copied and must not change.
 *
 * @param timestampMs the timestamp in epoch milliseconds; negative when the log is to set it
 * @param key the key; null for none
 * @param value the value; null for none
 * @param headers the headers, in order
 */
@SuppressWarnings(
    "ArrayRecordComponent") // Compared by nobody; copying every payload would cost more.
public record SourceRecord(
    long timestampMs, byte @Nullable [] key, byte @Nullable [] value, List<Header> headers) {
  /**
   * A header of a record.
   *
   * @param key the key
   * @param value the value; null for none
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Header(String key, byte @Nullable [] value) {}

  /** Copies the list of headers. */
  public SourceRecord {
    headers = List.copyOf(headers);
  }

  /** Returns the timestamp, if the record has one. */
  public OptionalLong timestamp() {
    return timestampMs < 0 ? OptionalLong.empty() : OptionalLong.of(timestampMs);
  }
}
