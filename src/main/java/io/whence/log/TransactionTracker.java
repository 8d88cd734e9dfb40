package io.whence.log;

import io.whence.model.OffsetRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Follows the transactions of a log that grows, from event to event. Invariant: {@link
 * #transactions} costs nothing where nothing has happened since, and else what the open
 * transactions take, not what the log has. Thread safety: single-writer.
 */
final class TransactionTracker {
  private final AbortedSpans aborted = new AbortedSpans();

  /** By producer: the start of its undecided transaction, the lowest first. */
  private final Map<Long, Long> open = new LinkedHashMap<>();

  private final List<Damage> damages = new ArrayList<>();
  private final UnknownFates fates = new UnknownFates(damages);
  private final List<Damage> orphans = new ArrayList<>();

  /** What holds, until something happens. */
  private @Nullable AbortedTransactions current;

  /**
   * Begins at the start of a log.
   *
   * @param openBefore transactions that were open before it: producer to first offset
   * @param damages what can't be read, by offset
   */
  TransactionTracker(Map<Long, Long> openBefore, List<Damage> damages) {
    openBefore.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(entry -> open.put(entry.getKey(), entry.getValue()));
    this.damages.addAll(damages);
  }

  /** Adds what can't be read, behind all that was; nothing behind it was told before. */
  void addDamage(Damage damage) {
    damages.add(damage);
  }

  /** Goes on to an event; none lies before an earlier one. */
  void add(TransactionEvent event) {
    fates.passTo(event, open);
    switch (event.kind()) {
      case NONE -> {}
      case DATA -> {
        if (open.putIfAbsent(event.producerId(), event.offset()) == null) {
          current = null;
        }
      }
      case COMMIT -> end(event);
      case ABORT -> {
        Long start = end(event);
        if (start != null) {
          aborted.add(event.producerId(), start, event.offset());
        }
      }
    }
  }

  private @Nullable Long end(TransactionEvent event) {
    current = null;
    return open.remove(event.producerId());
  }

  /** Returns where the first undecided transaction begins, if there is one. */
  OptionalLong firstOpenOffset() {
    return open.isEmpty() ? OptionalLong.empty() : OptionalLong.of(open.values().iterator().next());
  }

  /**
   * Ends the transactions that are known to be decided though no marker says how: it was removed
   * before it was read, or lies in damage. Their fate is unknown.
   *
   * @param decidedOffset those that began below are decided
   * @param endOffset the end of what was read, exclusive
   * @return what a reader of committed records can't be told for it
   */
  List<Damage> endOrphans(long decidedOffset, long endOffset, String log) {
    List<Damage> found = new ArrayList<>();
    while (!open.isEmpty()) {
      Map.Entry<Long, Long> first = open.entrySet().iterator().next();
      if (first.getValue() >= decidedOffset) {
        break;
      }
      OffsetRange range = new OffsetRange(first.getValue(), endOffset);
      String expected = "the end of the transaction of producer " + first.getKey();
      found.add(new Damage(range, log, 0, expected, "none up to offset " + (endOffset - 1)));
      open.remove(first.getKey());
    }
    addUnknown(found);
    return found;
  }

  /** Adds what a reader of committed records can't be told. */
  void addUnknown(List<Damage> unknown) {
    if (!unknown.isEmpty()) {
      orphans.addAll(unknown);
      current = null;
    }
  }

  /** Returns the state of the log. */
  AbortedTransactions transactions() {
    AbortedTransactions state = current;
    if (state == null) {
      state = transactions(firstOpenOffset());
      current = state;
    }
    return state;
  }

  /**
   * Returns the state of the log where more is undecided than its transactions tell.
   *
   * @param firstOpenOffset from where on nothing is known to be decided
   */
  AbortedTransactions transactions(OptionalLong firstOpenOffset) {
    List<Damage> unknown = new ArrayList<>(fates.found());
    unknown.addAll(orphans);
    return open.isEmpty() && aborted.isEmpty() && unknown.isEmpty() && firstOpenOffset.isEmpty()
        ? AbortedTransactions.NONE
        : new AbortedTransactions(aborted, open, firstOpenOffset, unknown);
  }
}
