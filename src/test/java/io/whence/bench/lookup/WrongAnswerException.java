package io.whence.bench.lookup;

/** A server answered something else than it should have. */
final class WrongAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongAnswerException(String message) {
    super(message);
  }
}
