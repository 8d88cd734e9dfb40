package io.whence.log;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Which transactions of a log were aborted, and where the undecided ones begin, told from the data
 * and the markers in the log: a batch belongs to the transaction that the next marker of its
 * producer ends. Thread safety: immutable, but for what {@link AbortedSpans} says.
 */
final class AbortedTransactions {
  /** A log without transactions. */
  static final AbortedTransactions NONE =
      new AbortedTransactions(new AbortedSpans(), Map.of(), OptionalLong.empty(), List.of());

  private final AbortedSpans aborted;

  /** By producer: the start of its undecided transaction, inclusive. */
  private final Map<Long, Long> open;

  private final OptionalLong firstOpenOffset;
  private final List<Damage> unknownFates;

  /**
   * Makes the state of a log.
   *
   * @param open by producer: the start of its undecided transaction, inclusive
   * @param firstOpenOffset from where on nothing is known to be decided
   * @param unknownFates what a reader of committed records can't be told
   */
  AbortedTransactions(
      AbortedSpans aborted,
      Map<Long, Long> open,
      OptionalLong firstOpenOffset,
      List<Damage> unknownFates) {
    this.aborted = aborted;
    this.open = Map.copyOf(open);
    this.firstOpenOffset = firstOpenOffset;
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
    TransactionTracker tracker = new TransactionTracker(openBefore, damages);
    segments.forEach(segment -> segment.transactions().forEach(tracker::add));
    return tracker.transactions();
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
    return aborted.intersect(startOffset, endOffset);
  }

  /** Returns a number that tells what a range of offsets has of aborted transactions. */
  long fingerprint(long startOffset, long endOffset) {
    return aborted.fingerprint(startOffset, endOffset);
  }

  /** Returns whether a transactional batch belongs to an aborted transaction. */
  boolean isAborted(long producerId, long baseOffset) {
    return aborted.contains(producerId, baseOffset);
  }
}
