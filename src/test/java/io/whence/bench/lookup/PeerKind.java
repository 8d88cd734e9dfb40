package io.whence.bench.lookup;

/** What answers, and how it is asked. */
enum PeerKind {
  /** Kafka's own client. */
  KAFKA("Kafka: `Admin.listOffsets`"),
  /** Kafka's protocol alone. */
  KAFKA_BYTES("Kafka: the same request as bytes, over a socket"),
  /** Our generated client. */
  WHENCE("Whence: `ResolveTimestamp`, generated client"),
  /** The same as bytes. */
  WHENCE_BYTES("Whence: `ResolveTimestamp`, bytes"),
  /** A method that does nothing, asked by the generated messages. */
  NO_OP("no-op method: same messages, generated client"),
  /** The same as bytes. */
  NO_OP_BYTES("no-op method: same bytes both ways");

  private final String title;

  PeerKind(String title) {
    this.title = title;
  }

  /** Returns the name for tables, exactly what it is. */
  String title() {
    return title;
  }

  /** Returns which of ours it is compared with: messages with messages, bytes with bytes. */
  PeerKind comparedWith() {
    return switch (this) {
      case KAFKA, WHENCE, NO_OP -> WHENCE;
      case KAFKA_BYTES, WHENCE_BYTES, NO_OP_BYTES -> WHENCE_BYTES;
    };
  }
}
