package io.whence.commit.kafka;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether the cluster lets this server commit in transactions. Once it has refused, it is asked
 * again only after a while: somebody may grant it meanwhile. Thread safety: thread-safe.
 */
final class TransactionRight {
  private static final Duration ASK_AGAIN = Duration.ofMinutes(1);

  private final String source;
  private final String prefix;

  /** When to ask again; null while nobody has refused. */
  private volatile @Nullable Deadline refusedUntil;

  /**
   * Makes a right that is taken for granted.
   *
   * @param prefix what the ids of transactions begin with; empty for no transactions
   */
  TransactionRight(String source, String prefix) {
    this.source = source;
    this.prefix = prefix;
  }

  boolean isThere() {
    Deadline until = refusedUntil;
    return !prefix.isEmpty() && (until == null || until.isOver());
  }

  void deny() {
    refusedUntil = Deadline.in(ASK_AGAIN);
  }

  void grant() {
    refusedUntil = null;
  }

  /** Returns what the operator should know. */
  Optional<String> warning() {
    return refusedUntil == null
        ? Optional.empty()
        : Optional.of(
            "source '"
                + source
                + "': the cluster allows no transactions with ids that begin with '"
                + prefix
                + "', so what others commit between the reading and the writing of a guarded commit"
                + " is written over; grant WRITE on these transactional ids");
  }
}
