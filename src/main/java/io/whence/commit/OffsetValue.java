package io.whence.commit;

import io.whence.model.TopicId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of the record of an offset. Thread safety: immutable.
 *
 * <pre>
 *   int16 version, then
 *   0, 2  int64 offset, STRING metadata, int64 commit time
 *   1     int64 offset, STRING metadata, int64 commit time, int64 expiry
 *   3     int64 offset, int32 leader epoch, STRING metadata, int64 commit time
 *   4     int64 offset, int32 leader epoch, compact string metadata, int64 commit time,
 *         tagged fields: 0 is the topic id, 16 bytes, left out when there is none
 * </pre>
 *
 * @param nextOffset the offset of the next record to read
 * @param epoch the leader epoch; negative for none
 * @param metadata the metadata
 * @param commitTimeMs when it was committed, in epoch milliseconds
 * @param expiryMs when it says that it expires, in epoch milliseconds; negative for never
 * @param id the id of the topic; null for none
 */
record OffsetValue(
    long nextOffset,
    int epoch,
    String metadata,
    long commitTimeMs,
    long expiryMs,
    @Nullable TopicId id) {
  private static final int VERSION = 4;
  private static final int TOPIC_ID_TAG = 0;
  private static final int UUID_BYTES = 2 * Long.BYTES;
  private static final int FIXED_BYTES = 48;

  static OffsetValue parse(byte[] value) {
    BytesReader in = new BytesReader(value, "offset value");
    short version = in.readShort();
    return switch (version) {
      case 0, 1, 2 -> {
        long offset = in.readLong();
        String metadata = in.readString();
        long commitTimeMs = in.readLong();
        yield new OffsetValue(
            offset, -1, metadata, commitTimeMs, version == 1 ? in.readLong() : -1, null);
      }
      case 3 ->
          new OffsetValue(in.readLong(), in.readInt(), in.readString(), in.readLong(), -1, null);
      case VERSION ->
          new OffsetValue(
              in.readLong(), in.readInt(), in.readCompactString(), in.readLong(), -1, topicId(in));
      default -> throw in.malformed("version 0 to " + VERSION, Short.toString(version));
    };
  }

  private static @Nullable TopicId topicId(BytesReader in) {
    TopicId id = null;
    int fields = in.readUnsignedVarint();
    for (int i = 0; i < fields; i++) {
      int tag = in.readUnsignedVarint();
      int size = in.readUnsignedVarint();
      if (tag == TOPIC_ID_TAG && size == UUID_BYTES) {
        id = new TopicId(new UUID(in.readLong(), in.readLong()));
      } else {
        in.readBytes(size);
      }
    }
    return id;
  }

  /** Returns the bytes of version 4. There is no place for an expiry. */
  byte[] toBytes() {
    BytesWriter out =
        new BytesWriter(FIXED_BYTES + metadata.length())
            .writeShort(VERSION)
            .writeLong(nextOffset)
            .writeInt(epoch)
            .writeCompactString(metadata)
            .writeLong(commitTimeMs);
    TopicId topic = id;
    if (topic == null) {
      return out.writeUnsignedVarint(0).toBytes();
    }
    return out.writeUnsignedVarint(1)
        .writeUnsignedVarint(TOPIC_ID_TAG)
        .writeUnsignedVarint(UUID_BYTES)
        .writeLong(topic.uuid().getMostSignificantBits())
        .writeLong(topic.uuid().getLeastSignificantBits())
        .toBytes();
  }
}
