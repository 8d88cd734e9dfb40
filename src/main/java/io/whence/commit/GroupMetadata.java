package io.whence.commit;

/**
 * The value of the record of a classic group, as far as it tells about expiry. Versions 0 to 4:
 *
 * <pre>
 *   int16 version, STRING protocol type, int32 generation, nullable STRING protocol,
 *   nullable STRING leader, from version 2 on: int64 since when it is in its state,
 *   int32 member count, members
 * </pre>
 *
 * From version 4 on strings and arrays are compact.
 */
final class GroupMetadata {
  private static final int COMPACT_SINCE = 4;
  private static final int LATEST_VERSION = 4;

  private GroupMetadata() {}

  static GroupState parse(byte[] value) {
    BytesReader in = new BytesReader(value, "group metadata value");
    short version = in.readShort();
    if (version < 0 || version > LATEST_VERSION) {
      throw in.malformed("version 0 to " + LATEST_VERSION, Short.toString(version));
    }
    String protocolType = text(in, version);
    in.readInt();
    text(in, version);
    text(in, version);
    long sinceMs = version >= 2 ? in.readLong() : -1;
    int members = version >= COMPACT_SINCE ? in.readUnsignedVarint() - 1 : in.readInt();
    // Kafka keeps metadata also of groups that only an administrator committed for.
    GroupKind kind = protocolType.isEmpty() && members == 0 ? GroupKind.SIMPLE : GroupKind.CLASSIC;
    return new GroupState(kind, members, sinceMs);
  }

  private static String text(BytesReader in, short version) {
    if (version < COMPACT_SINCE) {
      String text = in.readNullableString();
      return text == null ? "" : text;
    }
    int length = in.readUnsignedVarint() - 1;
    return length <= 0
        ? ""
        : new String(in.readBytes(length), java.nio.charset.StandardCharsets.UTF_8);
  }
}
