package io.whence.commit;

import java.util.OptionalLong;

/**
 * A change of a committed offset. Thread safety: immutable.
 *
 * @param changedAtMs when, in epoch milliseconds
 * @param writer who; empty when not known
 * @param before what was committed before; negative for nothing
 * @param after what was committed by it
 * @param requestId the request; empty for none
 * @param cause how
 */
public record OffsetChange(
    long changedAtMs, String writer, long before, long after, String requestId, ChangeCause cause) {

  /** Returns what was committed before. */
  public OptionalLong offsetBefore() {
    return before < 0 ? OptionalLong.empty() : OptionalLong.of(before);
  }
}
