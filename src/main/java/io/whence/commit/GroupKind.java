package io.whence.commit;

/** How a group is run. */
public enum GroupKind {
  /** Only its offsets are kept; nothing is known of its members. */
  SIMPLE,
  /** Members of Kafka's classic protocol. */
  CLASSIC,
  /** Members of Kafka's consumer protocol (KIP-848). */
  CONSUMER
}
