package io.whence.commit;

import io.whence.record.SourceRecord;
import java.util.List;
import java.util.Optional;

/**
 * What this server notes beside an offset, in a header of its record that Kafka keeps and doesn't
 * look at: who changed what, and where the change before it is, so that the changes of an offset
 * form a chain. Thread safety: immutable.
 *
 * <pre>
 *   int8 version 1, int8 cause, int8 1 for a renewal, int64 offset before, int64 previous position,
 *   int64 writer epoch (each -1 for none), compact string writer, compact string request id
 * </pre>
 *
 * @param cause how the offset was changed
 * @param renewal whether only the time of the commit is new; then the previous position is that of
 *     the change that still holds
 * @param before what was committed before; negative for nothing
 * @param previousPosition where the change before it is; negative for none
 * @param fence the largest epoch of a writer so far; negative for none
 * @param writer who
 * @param requestId the request; empty for none
 */
record ChangeNote(
    ChangeCause cause,
    boolean renewal,
    long before,
    long previousPosition,
    long fence,
    String writer,
    String requestId) {
  /** The key of the header. */
  static final String HEADER = "whence";

  private static final int VERSION = 1;
  private static final int FIXED_BYTES = 32;
  private static final ChangeCause[] CAUSES = ChangeCause.values();

  SourceRecord.Header toHeader() {
    byte[] value =
        new BytesWriter(FIXED_BYTES + writer.length() + requestId.length())
            .writeByte(VERSION)
            .writeByte(cause.ordinal())
            .writeByte(renewal ? 1 : 0)
            .writeLong(before)
            .writeLong(previousPosition)
            .writeLong(fence)
            .writeCompactString(writer)
            .writeCompactString(requestId)
            .toBytes();
    return new SourceRecord.Header(HEADER, value);
  }

  /** Finds the note of a record; there is none where Kafka wrote it. */
  static Optional<ChangeNote> find(List<SourceRecord.Header> headers) {
    for (SourceRecord.Header header : headers) {
      byte[] value = header.value();
      if (header.key().equals(HEADER) && value != null) {
        return Optional.of(parse(value));
      }
    }
    return Optional.empty();
  }

  private static ChangeNote parse(byte[] value) {
    BytesReader in = new BytesReader(value, "header " + HEADER);
    byte version = in.readByte();
    byte cause = in.readByte();
    if (version != VERSION || cause < 0 || cause >= CAUSES.length) {
      throw in.malformed("version 1 and a cause", version + " and " + cause);
    }
    return new ChangeNote(
        CAUSES[cause],
        in.readByte() == 1,
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readCompactString(),
        in.readCompactString());
  }
}
