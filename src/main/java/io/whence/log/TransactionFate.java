package io.whence.log;

/** What became of the transaction that a batch belongs to. */
public enum TransactionFate {
  /** The batch belongs to none. */
  NONE,
  /** Its marker says that it counts. */
  COMMITTED,
  /** Its marker says that it doesn't count. */
  ABORTED,
  /** There is no marker yet. */
  OPEN
}
