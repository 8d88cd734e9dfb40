package io.whence.record;

/** The bytes of a batch are not those of a batch. Says what was expected and what was found. */
public final class InvalidBatchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes a failure. */
  public InvalidBatchException(String message) {
    super(message);
  }

  /** Makes a failure with a cause. */
  public InvalidBatchException(String message, Throwable cause) {
    super(message, cause);
  }
}
