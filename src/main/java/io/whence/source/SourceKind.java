package io.whence.source;

/** What a source is. */
public enum SourceKind {
  /** Logs that this server owns and writes. */
  EMBEDDED,
  /** A Kafka data directory, opened read-only. */
  ARCHIVE,
  /** A Kafka cluster that is followed. */
  KAFKA
}
