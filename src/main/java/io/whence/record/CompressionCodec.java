package io.whence.record;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
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

  /**
   * Requires that a failure is not that the library of the codec can't be loaded. Kafka's client
   * wraps whatever a codec runs into.
   *
   * @throws WhenceException {@code UNSUPPORTED} if it is, which says nothing of the bytes
   */
  void requireLoaded(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof LinkageError) {
        throw notLoaded(cause);
      }
    }
  }

  private WhenceException notLoaded(Throwable cause) {
    String directory = System.getProperty("java.io.tmpdir");
    return WhenceException.of(
        ErrorReason.UNSUPPORTED,
        "the library of codec "
            + this
            + " can't be loaded: "
            + cause
            + "; it is unpacked to java.io.tmpdir, "
            + directory
            + ", which must be writable and not mounted noexec; restart with another one",
        "path",
        directory);
  }
}
