package io.whence.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Which transactions of a log were aborted, and where the undecided ones begin, told from the data
 * and the markers in the log: a batch belongs to the transaction that the next marker of its
 * producer ends. Thread safety: immutable.
 */
final class AbortedTransactions {
  /** A log without transactions. */
  static final AbortedTransactions NONE = new AbortedTransactions(Map.of(), Map.of(), List.of());

  /** By producer: start (inclusive) and marker (exclusive) of each aborted one, ascending. */
  private final Map<Long, List<Span>> aborted;

  /** By producer: the start of its undecided transaction, inclusive. */
  private final Map<Long, Long> open;

  private final OptionalLong firstOpenOffset;
  private final List<Damage> unknownFates;

  private record Span(long startOffset, long markerOffset) {}

  private AbortedTransactions(
      Map<Long, List<Span>> aborted, Map<Long, Long> open, List<Damage> unknownFates) {
    this.aborted = aborted;
    this.open = Map.copyOf(open);
    this.firstOpenOffset = open.values().stream().mapToLong(Long::longValue).min();
    this.unknownFates = List.copyOf(unknownFates);
  }

  /**
   * Reads the fate of all transactions from segments.
   *
   * @param segments all segments of the log, by offset
   * @param openBefore transactions that were open before the first segment: producer to first
   *     offset
   * @param damages what can't be read of the segments, by offset: a marker may have been there
   */
  static AbortedTransactions of(
      List<SegmentIndex> segments, Map<Long, Long> openBefore, List<Damage> damages) {
    Map<Long, Long> open = new HashMap<>(openBefore);
    Map<Long, List<Span>> aborted = new HashMap<>();
    UnknownFates fates = new UnknownFates(damages);
    for (SegmentIndex segment : segments) {
      for (TransactionEvent event : segment.transactions()) {
        fates.passTo(event, open);
        apply(event, open, aborted);
      }
    }
    return open.isEmpty() && aborted.isEmpty() && fates.found().isEmpty()
        ? NONE
        : new AbortedTransactions(aborted, open, fates.found());
  }

  private static void apply(
      TransactionEvent event, Map<Long, Long> open, Map<Long, List<Span>> aborted) {
    switch (event.kind()) {
      case NONE -> {}
      case DATA -> open.putIfAbsent(event.producerId(), event.offset());
      case COMMIT -> open.remove(event.producerId());
      case ABORT -> {
        Long start = open.remove(event.producerId());
        if (start != null) {
          aborted
              .computeIfAbsent(event.producerId(), id -> new ArrayList<>())
              .add(new Span(start, event.offset()));
        }
      }
    }
  }

  /** Returns the offset of the first record of an undecided transaction, if there is one. */
  OptionalLong firstOpenOffset() {
    return firstOpenOffset;
  }

  /** Returns what a reader of committed records can't be told, since a marker may be damaged. */
  List<Damage> unknownFates() {
    return unknownFates;
  }

  /** Returns what became of the transaction of a transactional batch, damage not considered. */
  TransactionFate fate(long producerId, long baseOffset) {
    Long openFrom = open.get(producerId);
    if (openFrom != null && openFrom <= baseOffset) {
      return TransactionFate.OPEN;
    }
    return isAborted(producerId, baseOffset) ? TransactionFate.ABORTED : TransactionFate.COMMITTED;
  }

  /** Returns whether records of a range of offsets may belong to an aborted transaction. */
  boolean mayHide(long startOffset, long endOffset) {
    return aborted.values().stream()
        .flatMap(List::stream)
        .anyMatch(span -> span.startOffset() < endOffset && span.markerOffset() > startOffset);
  }

  /** Returns whether a transactional batch belongs to an aborted transaction. */
  boolean isAborted(long producerId, long baseOffset) {
    List<Span> spans = aborted.get(producerId);
    if (spans == null) {
      return false;
    }
    int low = 0;
    int high = spans.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (spans.get(middle).markerOffset() <= baseOffset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < spans.size() && spans.get(low).startOffset() <= baseOffset;
  }
}
