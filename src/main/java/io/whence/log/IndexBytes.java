package io.whence.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The parts that the files of a segment index have in common. Thread safety: thread-safe.
 *
 * <pre>
 * figures: int64  base offset        int64  next offset         int32  size in bytes
 *          5 int64 record count, count without timestamp, minimum, maximum, disorder
 *          3 int64 largest header timestamp, its offset, that of the first batch
 * events:  int32  number of transaction events, then per event:
 *          int8 kind, int64 producer id, int64 offset
 * </pre>
 */
final class IndexBytes {
  static final int FIGURES_BYTES = 10 * Long.BYTES + Integer.BYTES;

  private static final int EVENT_BYTES = 1 + 2 * Long.BYTES;

  private IndexBytes() {}

  static void putFigures(ByteBuffer out, SegmentIndex index) {
    out.putLong(index.baseOffset()).putLong(index.nextOffset()).putInt(index.sizeBytes());
    TimestampHealth health = index.timestamps();
    out.putLong(health.recordCount()).putLong(health.withoutTimestampCount());
    out.putLong(health.minMs()).putLong(health.maxMs()).putLong(health.maxDisorderMs());
    out.putLong(index.headerMaxMs()).putLong(index.headerMaxOffset());
    out.putLong(index.firstBatchMaxMs());
  }

  /** Reads figures, as an index without blocks and events. */
  static SegmentIndex getFigures(ByteBuffer in) {
    return new SegmentIndex(
        in.getLong(),
        in.getLong(),
        in.getInt(),
        BlockIndex.NONE,
        new TimestampHealth(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong()),
        List.of(),
        in.getLong(),
        in.getLong(),
        in.getLong());
  }

  /** Returns how many bytes {@link #putEvents} puts. */
  static int eventsBytes(SegmentIndex index) {
    return Integer.BYTES + index.transactions().size() * EVENT_BYTES;
  }

  static void putEvents(ByteBuffer out, SegmentIndex index) {
    out.putInt(index.transactions().size());
    for (TransactionEvent event : index.transactions()) {
      out.put((byte) event.kind().ordinal()).putLong(event.producerId()).putLong(event.offset());
    }
  }

  static List<TransactionEvent> getEvents(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || (long) count * EVENT_BYTES > in.remaining()) {
      throw new IllegalArgumentException("event count " + count);
    }
    List<TransactionEvent> events = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      TransactionEvent.Kind kind = TransactionEvent.Kind.values()[in.get() & 3];
      events.add(new TransactionEvent(kind, in.getLong(), in.getLong()));
    }
    return List.copyOf(events);
  }

  /** Returns the CRC-32C of what is left of a buffer. */
  static int crcOf(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  /** Returns the CRC-32C of a part of an array. */
  static int crcOf(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }
}
