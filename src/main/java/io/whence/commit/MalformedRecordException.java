package io.whence.commit;

/** Says that a key or value of the offsets topic is not what its format demands. */
final class MalformedRecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MalformedRecordException(String message) {
    super(message);
  }
}
