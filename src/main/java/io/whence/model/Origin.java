package io.whence.model;

/** Where an answer came from. */
public enum Origin {
  /** Index data in memory. */
  MEMORY,
  /** Index data in memory and records read from the log. */
  LOG_SCAN,
  /** A broker of the cluster that is followed, which is not exact in some cases. */
  BROKER
}
