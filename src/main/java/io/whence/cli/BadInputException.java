package io.whence.cli;

/**
 * A command line that can't become a request; the message says what to write instead. Immutable.
 */
public final class BadInputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String field;

  public BadInputException(String field, String message) {
    super(message, null, false, false);
    this.field = field;
  }

  /** Returns the option that is wrong. */
  public String field() {
    return field;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
