package io.whence.log;

/**
 * What is told to a followed log when it is opened. Thread safety: immutable.
 *
 * @param startOffset where it begins if nothing is on disk, inclusive
 */
public record FollowedLogOptions(long startOffset) {
  /** Rejects a negative offset. */
  public FollowedLogOptions {
    if (startOffset < 0) {
      throw new IllegalArgumentException("start offset " + startOffset + " is negative");
    }
  }

  /** Begins at an offset if nothing is on disk. */
  public static FollowedLogOptions startingAt(long startOffset) {
    return new FollowedLogOptions(startOffset);
  }
}
