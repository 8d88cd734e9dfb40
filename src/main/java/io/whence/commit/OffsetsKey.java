package io.whence.commit;

import java.nio.charset.StandardCharsets;

/**
 * The key of a record of the offsets topic. Thread safety: immutable.
 *
 * <pre>
 *   int16 type, then
 *   0, 1    STRING group, STRING topic, int32 partition   an offset; 0 is the older form of 1
 *   2       STRING group                                  metadata of a classic group
 *   3       STRING group                                  metadata of a consumer group (KIP-848)
 *   5       STRING group, STRING member                   a member of a consumer group
 *   22344   STRING group, STRING request id               a request that was answered; ours alone
 * </pre>
 *
 * Kafka passes over types that it doesn't know.
 */
sealed interface OffsetsKey {
  /** An offset of a group. */
  record Offset(String group, String topic, int partition) implements OffsetsKey {}

  /** Metadata of a classic group. */
  record ClassicGroup(String group) implements OffsetsKey {}

  /** Metadata of a consumer group. */
  record ConsumerGroup(String group) implements OffsetsKey {}

  /** A member of a consumer group. */
  record ConsumerMember(String group, String member) implements OffsetsKey {}

  /** A request that was answered. */
  record Request(String group, String requestId) implements OffsetsKey {}

  /** Something that says nothing about offsets. */
  record Other(short type) implements OffsetsKey {}

  /** Reads a key. */
  static OffsetsKey parse(byte[] key) {
    BytesReader in = new BytesReader(key, "key");
    short type = in.readShort();
    return switch (type) {
      case Types.OLD_OFFSET, Types.OFFSET ->
          new Offset(in.readString(), in.readString(), in.readInt());
      case Types.CLASSIC_GROUP -> new ClassicGroup(in.readString());
      case Types.CONSUMER_GROUP -> new ConsumerGroup(in.readString());
      case Types.CONSUMER_MEMBER -> new ConsumerMember(in.readString(), in.readString());
      case Types.REQUEST -> new Request(in.readString(), in.readString());
      default -> new Other(type);
    };
  }

  /** Returns the bytes of the key of an offset; the names in UTF-8. */
  static byte[] offset(byte[] group, byte[] topic, int partition) {
    return new BytesWriter(group.length + topic.length + 10)
        .writeShort(Types.OFFSET)
        .writeString(group)
        .writeString(topic)
        .writeInt(partition)
        .toBytes();
  }

  /** Returns the bytes of the key of a request. */
  static byte[] request(byte[] group, String requestId) {
    byte[] id = requestId.getBytes(StandardCharsets.UTF_8);
    return new BytesWriter(group.length + id.length + 6)
        .writeShort(Types.REQUEST)
        .writeString(group)
        .writeString(id)
        .toBytes();
  }

  /** The types. */
  final class Types {
    static final short OLD_OFFSET = 0;
    static final short OFFSET = 1;
    static final short CLASSIC_GROUP = 2;
    static final short CONSUMER_GROUP = 3;
    static final short CONSUMER_MEMBER = 5;
    static final short REQUEST = 0x5748;

    private Types() {}
  }
}
