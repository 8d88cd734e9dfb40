package io.whence.record;

/** How the records of a batch are compressed: bits 0 to 2 of its attributes. */
public enum CompressionCodec {
  NONE,
  GZIP,
  SNAPPY,
  LZ4,
  ZSTD
}
