package io.whence.model;

/** Which records a reader may see. */
public enum IsolationLevel {
  /** Every data record below the high watermark, also of aborted and open transactions. */
  READ_UNCOMMITTED,
  /** Data records below the last stable offset, without those of aborted transactions. */
  READ_COMMITTED
}
