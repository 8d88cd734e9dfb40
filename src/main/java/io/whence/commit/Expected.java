package io.whence.commit;

/** What must be committed for a commit to be made. */
public sealed interface Expected {
  /** Whatever is. */
  Expected ANYTHING = new Anything();

  /** Nothing. */
  Expected NOTHING = new Nothing();

  /** Whatever is. */
  record Anything() implements Expected {}

  /** Nothing, or the offset of a topic that is gone. */
  record Nothing() implements Expected {}

  /** This offset. */
  record Offset(long offset) implements Expected {}

  /** This very change, not one that came to the same offset. */
  record Change(CommittedOffset committed) implements Expected {}
}
