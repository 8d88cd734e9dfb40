package io.whence.log;

/**
 * The part that a batch plays in a transaction of its producer. Thread safety: immutable.
 *
 * @param kind what the batch is
 * @param producerId the producer; meaningless for {@link Kind#NONE}
 * @param offset the base offset of the batch; meaningless for {@link Kind#NONE}
 */
record TransactionEvent(Kind kind, long producerId, long offset) {
  /** A batch outside transactions, or a control batch that ends none. */
  static final TransactionEvent NONE = new TransactionEvent(Kind.NONE, 0, 0);

  /** What a batch is to a transaction. The order is that of the numbers in a block index file. */
  enum Kind {
    /** Nothing. */
    NONE,
    /** Data of the transaction that the next marker of the same producer ends. */
    DATA,
    /** The marker that commits. */
    COMMIT,
    /** The marker that aborts. */
    ABORT
  }
}
