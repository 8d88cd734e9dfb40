package io.whence.model;

/** What a lookup in one partition came to. Failures are exceptions, not outcomes. */
public enum Outcome {
  /** There is an answer. */
  FOUND,
  /** Every visible record with a timestamp is before the time asked for. */
  AFTER_END,
  /** Every visible record with a timestamp is after the time asked for. */
  BEFORE_START,
  /** There is no visible record. */
  EMPTY,
  /** There are visible records, but none that was asked about has a timestamp. */
  NO_TIMESTAMP,
  /** There are records before and after the window, and none in it. */
  NONE_IN_WINDOW
}
