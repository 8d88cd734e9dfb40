package io.whence.commit;

/** How a committed offset was changed. */
public enum ChangeCause {
  /** Not known, such as in offsets that Kafka wrote. */
  UNKNOWN,
  /** A commit. */
  COMMIT,
  /** A reset by a plan. */
  RESET
}
