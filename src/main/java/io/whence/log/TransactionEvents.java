package io.whence.log;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The events of transactions of a segment, by offset. Those of a segment that grows share what they
 * have in common. Thread safety: immutable.
 */
final class TransactionEvents extends AbstractList<TransactionEvent> implements RandomAccess {
  static final TransactionEvents NONE = new TransactionEvents(new TransactionEvent[0], 0);

  private static final int INITIAL_CAPACITY = 8;

  /** What lies behind the count may belong to one that grew from this one, and is never read. */
  private final TransactionEvent[] events;

  private final int count;

  private TransactionEvents(TransactionEvent[] events, int count) {
    this.events = events;
    this.count = count;
  }

  /** Returns these and one more. Only to the last one that was made so may another be added. */
  TransactionEvents plus(TransactionEvent event) {
    TransactionEvent[] grown =
        count < events.length
            ? events
            : Arrays.copyOf(events, Math.max(INITIAL_CAPACITY, 2 * count));
    grown[count] = event;
    return new TransactionEvents(grown, count + 1);
  }

  @Override
  public TransactionEvent get(int index) {
    return events[Objects.checkIndex(index, count)];
  }

  @Override
  public int size() {
    return count;
  }
}
