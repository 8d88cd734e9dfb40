package io.whence.record;

import org.apache.kafka.common.compress.Compression;

/** How the records of a batch are compressed: bits 0 to 2 of its attributes. */
public enum CompressionCodec {
  NONE(0, Compression.NONE),
  GZIP(1, Compression.gzip().build()),
  SNAPPY(2, Compression.snappy().build()),
  LZ4(3, Compression.lz4().build()),
  ZSTD(4, Compression.zstd().build());

  private static final CompressionCodec[] BY_ID = values();

  private final int id;

  @SuppressWarnings("ImmutableEnumChecker") // Kafka's codecs without a level hold no state.
  private final Compression compression;

  CompressionCodec(int id, Compression compression) {
    this.id = id;
    this.compression = compression;
  }

  /** Returns the number that stands for the codec in the attributes of a batch. */
  public int id() {
    return id;
  }

  /**
   * Returns the codec with a number.
   *
   * @throws InvalidBatchException if there is none
   */
  public static CompressionCodec forId(int id) {
    if (id < 0 || id >= BY_ID.length) {
      throw new InvalidBatchException("expected a codec of 0 to 4, found codec " + id);
    }
    return BY_ID[id];
  }

  Compression compression() {
    return compression;
  }
}
