package io.whence.commit;

import io.whence.model.WhenceException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What became of one commit. Thread safety: immutable.
 *
 * @param outcome what became of it
 * @param before what was committed before; negative for nothing
 * @param now what is committed now; negative for nothing
 * @param error why it was refused; null unless {@code FAILED}
 */
public record CommitResult(
    CommitOutcome outcome, long before, long now, @Nullable WhenceException error) {

  /** Returns what was committed before. */
  public OptionalLong offsetBefore() {
    return before < 0 ? OptionalLong.empty() : OptionalLong.of(before);
  }

  /** Returns what is committed now. */
  public OptionalLong offsetNow() {
    return now < 0 ? OptionalLong.empty() : OptionalLong.of(now);
  }

  /** Returns why it was refused. */
  public Optional<WhenceException> failure() {
    return Optional.ofNullable(error);
  }
}
