package io.whence.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records whose timestamps are unusual in one way. Thread safety: immutable.
 *
 * @param count how many there are
 * @param firstOrNull the first of them; null if there is none
 * @param lastOrNull the last of them; null if there is none
 */
public record UnusualRecords(
    long count, @Nullable RecordStamp firstOrNull, @Nullable RecordStamp lastOrNull) {
  /** No records. */
  public static final UnusualRecords NONE = new UnusualRecords(0, null, null);

  /** Rejects records without a first and a last one, and these without records. */
  public UnusualRecords {
    if (count < 0
        || (count == 0) != (firstOrNull == null)
        || (count == 0) != (lastOrNull == null)) {
      throw new IllegalArgumentException(count + " from " + firstOrNull + " to " + lastOrNull);
    }
  }

  /** Returns the first of them, by offset. */
  public Optional<RecordStamp> first() {
    return Optional.ofNullable(firstOrNull);
  }

  /** Returns the last of them, by offset. */
  public Optional<RecordStamp> last() {
    return Optional.ofNullable(lastOrNull);
  }
}
