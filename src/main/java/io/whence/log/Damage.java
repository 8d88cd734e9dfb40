package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.WhenceException;

/**
 * A part of a log that can't be read. Thread safety: immutable.
 *
 * @param range the offsets that may be affected
 * @param path the file
 * @param position the byte position in the file
 * @param expected what should be there
 * @param found what is there
 */
public record Damage(OffsetRange range, String path, long position, String expected, String found) {

  /** Returns the same damage, with the offsets that are lost with it. */
  Damage over(OffsetRange lost) {
    return new Damage(lost, path, position, expected, found);
  }

  /** Makes the failure of a lookup whose answer could lie here. */
  public WhenceException asFailure() {
    return WhenceException.of(
        ErrorReason.DAMAGED_LOG,
        "the answer could lie in offsets ["
            + range.startOffset()
            + ", "
            + range.endOffset()
            + "), which can't be read: "
            + this,
        "path",
        path,
        "position",
        position,
        "expected",
        expected,
        "found",
        found);
  }

  /** Returns path, position, expected and found in one line. */
  @Override
  public String toString() {
    return path + " at byte " + position + ": expected " + expected + ", found " + found;
  }
}
