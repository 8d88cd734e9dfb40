package io.whence.cli;

/** A change of which the command line can't tell whether it was made. Immutable. */
final class OutcomeUnknownException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final CallFailedException last;
  private final String advice;

  /**
   * Makes one.
   *
   * @param last how the last call ended
   * @param advice what may have been done, and how to look
   */
  OutcomeUnknownException(CallFailedException last, String advice) {
    super(last);
    this.last = last;
    this.advice = advice;
  }

  /** Returns how the last call ended. */
  CallFailedException last() {
    return last;
  }

  /** Returns what may have been done, and how to look. */
  String advice() {
    return advice;
  }
}
