package io.whence.record;

/**
 * What is wrong with a batch, in words that complete "expected ..., found ...".
 *
 * @param expected what should be there
 * @param found what is there
 */
public record BatchFault(String expected, String found) {
  /** Makes the failure of whoever needs the batch. */
  public InvalidBatchException asException() {
    return new InvalidBatchException(toString());
  }

  /** Returns both in one line. */
  @Override
  public String toString() {
    return "expected " + expected + ", found " + found;
  }
}
