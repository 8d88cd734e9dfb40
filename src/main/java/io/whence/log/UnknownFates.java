package io.whence.log;

import io.whence.model.OffsetRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the transactional records whose fate a damaged part hides: of a transaction that was open
 * where the damage begins, the marker may lie in it, and the next one that can be read may belong
 * to a later transaction of the same producer. Thread safety: single-writer.
 */
final class UnknownFates {
  private final List<Damage> damages;
  private int passed;

  /** By producer: the last damage that its open transaction spans. */
  private final Map<Long, Damage> spanned = new HashMap<>();

  private final List<Damage> found = new ArrayList<>();

  UnknownFates(List<Damage> damages) {
    this.damages = damages;
  }

  /**
   * Goes on to an event.
   *
   * @param open the transactions that are open before it: producer to first offset
   */
  void passTo(TransactionEvent event, Map<Long, Long> open) {
    while (passed < damages.size() && damages.get(passed).range().startOffset() <= event.offset()) {
      Damage damage = damages.get(passed);
      open.keySet().forEach(producerId -> spanned.put(producerId, damage));
      passed++;
    }
    boolean ends =
        event.kind() == TransactionEvent.Kind.COMMIT || event.kind() == TransactionEvent.Kind.ABORT;
    Damage damage = ends ? spanned.remove(event.producerId()) : null;
    Long startOffset = open.get(event.producerId());
    if (damage != null && startOffset != null) {
      long end = Math.max(startOffset, damage.range().startOffset());
      found.add(damage.over(new OffsetRange(startOffset, end)));
    }
  }

  /** Returns the records whose fate is unknown, each with the damage that hides it. */
  List<Damage> found() {
    return found;
  }
}
