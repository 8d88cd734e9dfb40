package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The log of one partition as it was at one moment: bounds, segments and their indexes belong
 * together, and the log start is never above the end (I3). Thread safety: immutable.
 */
public final class LogSnapshot {
  /** All segments but the last. */
  private final SegmentTable sealed;

  private final @Nullable SegmentView last;
  private final long logStartOffset;
  private final long highWatermark;
  private final long lastStableOffset;
  private final AbortedTransactions transactions;
  private final List<Damage> damages;
  private final @Nullable TimelineSearch timelines;
  private final @Nullable TimelineSearch committedTimelines;
  private final @Nullable UnfollowedHead head;
  private final LeaderEpochs epochs;

  /**
   * Makes a snapshot.
   *
   * @param segments all segments, by base offset
   * @param logStartOffset the earliest offset that a client may read, inclusive
   * @param highWatermark the end of what is committed, exclusive
   * @param transactions the fate of the transactions in the segments
   * @param damages what can't be read, by offset
   */
  LogSnapshot(
      List<SegmentView> segments,
      long logStartOffset,
      long highWatermark,
      AbortedTransactions transactions,
      List<Damage> damages) {
    this(
        segments.isEmpty()
            ? SegmentTable.EMPTY
            : new SegmentTable(segments.subList(0, segments.size() - 1)),
        segments.isEmpty() ? null : segments.get(segments.size() - 1),
        LogExtent.of(logStartOffset, highWatermark),
        transactions,
        damages,
        null);
  }

  /**
   * Makes a snapshot of segments of which all but the last stayed the same.
   *
   * @param committedTimelines what readers of committed records see, where there are transactions
   */
  LogSnapshot(
      SegmentTable sealed,
      @Nullable SegmentView last,
      LogExtent extent,
      AbortedTransactions transactions,
      List<Damage> damages,
      @Nullable TimelineSearch committedTimelines) {
    this.sealed = sealed;
    this.last = last;
    this.transactions = transactions;
    this.damages = List.copyOf(damages);
    this.logStartOffset = extent.logStartOffset();
    this.highWatermark = extent.highWatermark();
    this.head = extent.head();
    this.epochs = extent.epochs();
    // An open transaction that began below the log start leaves nothing stable above it.
    long firstOpen = transactions.firstOpenOffset().orElse(highWatermark);
    this.lastStableOffset = Math.max(logStartOffset, Math.min(firstOpen, highWatermark));
    this.timelines = timelines(sealed, last, firstOffset(), highWatermark);
    this.committedTimelines =
        transactions == AbortedTransactions.NONE ? timelines : committedTimelines;
  }

  private static @Nullable TimelineSearch timelines(
      SegmentTable sealed, @Nullable SegmentView last, long logStartOffset, long highWatermark) {
    if (last != null && last.index().nextOffset() > highWatermark) {
      return null; // Timelines end where their segments do: they would tell what is not visible.
    }
    boolean isBelowStart = last != null && last.index().nextOffset() <= logStartOffset;
    return new TimelineSearch(
        sealed.from(logStartOffset), isBelowStart ? null : last, logStartOffset);
  }

  /** Returns the earliest offset that a client may read, inclusive. */
  public long logStartOffset() {
    return logStartOffset;
  }

  /** Returns the first offset of which this has what there is, inclusive. */
  public long firstOffset() {
    return head == null ? logStartOffset : head.endOffset();
  }

  /** Returns where leader epochs begin: of what is followed, otherwise nothing. */
  public LeaderEpochs leaderEpochs() {
    return epochs;
  }

  /** Returns what lies between log start and first offset; null if that is the same. */
  public @Nullable UnfollowedHead head() {
    return head;
  }

  /** Returns the end of what is committed, exclusive. */
  public long highWatermark() {
    return highWatermark;
  }

  /** Returns the end of what is decided, exclusive; never above the high watermark. */
  public long lastStableOffset() {
    return lastStableOffset;
  }

  /** Returns the bounds of what a reader of this isolation level may see. */
  public LogBounds bounds(IsolationLevel isolation) {
    return new LogBounds(logStartOffset, endOffset(isolation));
  }

  /** Returns the end of what a reader of this isolation level may see, exclusive. */
  public long endOffset(IsolationLevel isolation) {
    return isolation == IsolationLevel.READ_COMMITTED ? lastStableOffset : highWatermark;
  }

  /** Returns how many bytes the .log files hold. */
  public long sizeBytes() {
    return views().stream().mapToLong(segment -> segment.index().sizeBytes()).sum();
  }

  /** Returns the segments, by base offset. */
  public List<SegmentInfo> segments() {
    List<SegmentInfo> infos = new ArrayList<>(segmentCount());
    // A timeline that begins below the log start answers nothing until it is cut.
    Optional<SegmentView> uncut = HeadCut.due(this);
    for (int i = 0; i < segmentCount(); i++) {
      SegmentView view = segment(i);
      SegmentIndex index = view.index();
      infos.add(
          new SegmentInfo(
              index.baseOffset(),
              index.nextOffset(),
              index.sizeBytes(),
              index.timestamps(),
              i == segmentCount() - 1,
              view.timeline().isPresent() && !uncut.equals(Optional.of(view)),
              view.timelineBytes()));
    }
    return infos;
  }

  /**
   * Lets the timeline begin where the log does of the segment that the log begins in. For logs
   * whose start never moves.
   */
  public void cutLoadedHead() {
    HeadCut.apply(views(), logStartOffset());
  }

  /**
   * Returns a time that no record from an offset on lies after: the largest of its segments. Looks
   * at no older segment, and reads nothing.
   *
   * @return {@link Long#MIN_VALUE} if none of them has a record with a timestamp
   */
  public long largestTimestampMs(long fromOffset) {
    long largestMs = Long.MIN_VALUE;
    for (int i = segmentCount() - 1; i >= 0; i--) {
      SegmentIndex index = segment(i).index();
      if (index.nextOffset() <= fromOffset) {
        break;
      }
      largestMs = Math.max(largestMs, index.timestamps().maxMs());
    }
    return largestMs;
  }

  /** Returns the damage that was found, by offset. */
  public List<Damage> damages() {
    return damages;
  }

  /**
   * Fails if records of a range of offsets are not known: a part of it can't be read or is not
   * followed, or, for readers of committed records, damage hides whether records of the range or
   * next to it were committed.
   *
   * @param fromMs records before this time don't matter, in epoch milliseconds
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} or {@code NOT_FOLLOWED}
   */
  public void requireReadable(
      long startOffset, long endOffset, long fromMs, IsolationLevel isolation) {
    Optional<Damage> damage = firstDamage(startOffset, endOffset, isolation);
    if (damage.isPresent()) {
      throw damage.get().asFailure();
    }
    UnfollowedHead unknown = head;
    if (unknown != null
        && unknown.mayHave(fromMs)
        && startOffset < unknown.endOffset()
        && endOffset > unknown.startOffset()) {
      throw unknown.asFailure();
    }
  }

  /** Returns whether {@link #requireReadable} would not fail where all records matter. */
  public boolean isReadable(long startOffset, long endOffset, IsolationLevel isolation) {
    return firstDamage(startOffset, endOffset, isolation).isEmpty()
        && (head == null || startOffset >= head.endOffset() || endOffset <= head.startOffset());
  }

  /** Fails as the other one does, where records of all times matter. */
  public void requireReadable(long startOffset, long endOffset, IsolationLevel isolation) {
    requireReadable(startOffset, endOffset, Long.MIN_VALUE, isolation);
  }

  /** Returns the first damage for which {@link #requireReadable} fails, if there is one. */
  Optional<Damage> firstDamage(long startOffset, long endOffset, IsolationLevel isolation) {
    for (Damage damage : damages) {
      if (damage.range().intersects(startOffset, endOffset)) {
        return Optional.of(damage);
      }
    }
    if (isolation == IsolationLevel.READ_COMMITTED) {
      for (Damage fate : transactions.unknownFates()) {
        // The record that an answer gives lies right before or behind the range.
        if (fate.range().intersects(startOffset - 1, endOffset + 1)) {
          return Optional.of(fate);
        }
      }
    }
    return Optional.empty();
  }

  /** Returns a cursor over the blocks that may hold visible records. */
  public BlockCursor blocks(IsolationLevel isolation, Cancellation cancellation) {
    return new BlockCursor(this, isolation, cancellation);
  }

  /**
   * Reads visible records from the disk.
   *
   * @param offset where to start, inclusive; between log start offset and end
   * @param maxRecords how many records at the most
   * @param maxBytes how many bytes of keys, values and headers at the most; one record is always
   *     given, if it has no more than {@link StoredRecord#LARGEST_BYTES}: {@code UNSUPPORTED} else
   */
  public List<StoredRecord> read(
      long offset,
      int maxRecords,
      long maxBytes,
      IsolationLevel isolation,
      Cancellation cancellation) {
    BlockCursor blocks = blocks(isolation, cancellation);
    RecordCollector collector = new RecordCollector(offset, maxRecords, maxBytes);
    boolean more = blocks.moveToOffset(offset);
    while (more && !collector.isFull()) {
      blocks.readRecords(collector);
      more = blocks.moveToNext();
    }
    requireReadable(offset, collector.nextOffset(endOffset(isolation)), isolation);
    return collector.records();
  }

  /**
   * Visits all data records, by offset, those of aborted and undecided transactions included; reads
   * the disk. The visitor may ask for the {@link #fate} of the batch, but not read records
   * meanwhile.
   *
   * @param fromOffset where to start, inclusive; below the log start, that is where it starts
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} if one of them can't be read;
   *     before the first is visited where the damage is known
   */
  public void readAll(long fromOffset, RecordVisitor visitor, Cancellation cancellation) {
    long start = Math.max(fromOffset, logStartOffset());
    if (start < highWatermark()) {
      requireReadable(start, highWatermark(), IsolationLevel.READ_UNCOMMITTED);
      new AllRecords(start, visitor).readFrom(this, cancellation);
    }
  }

  List<SegmentView> views() {
    return new AbstractList<>() {
      @Override
      public SegmentView get(int i) {
        return segment(i);
      }

      @Override
      public int size() {
        return segmentCount();
      }
    };
  }

  int segmentCount() {
    return sealed.count() + (last == null ? 0 : 1);
  }

  /** Returns a segment, by base offset from 0. */
  SegmentView segment(int i) {
    return last != null && i == sealed.count() ? last : sealed.segment(i);
  }

  /**
   * Returns a search in what is in memory.
   *
   * @return null if memory can't tell records that are visible from others
   */
  public @Nullable TimelineSearch timelines(IsolationLevel isolation) {
    return isolation == IsolationLevel.READ_COMMITTED ? committedTimelines : timelines;
  }

  /**
   * Returns the same with answers for readers of committed records from memory, if possible.
   *
   * @param preload says what there is room for
   */
  LogSnapshot withCommittedTimelines(Preload preload) {
    return transactions == AbortedTransactions.NONE
        ? this
        : new LogSnapshot(
            sealed,
            last,
            new LogExtent(logStartOffset, highWatermark, head, epochs),
            transactions,
            damages,
            CommittedTimelines.of(this, preload).orElse(null));
  }

  /** Returns the fate of its transactions. */
  AbortedTransactions transactions() {
    return transactions;
  }

  /** Returns whether it has, or may have, transactions. */
  boolean hasTransactions() {
    return transactions != AbortedTransactions.NONE;
  }

  /** Returns whether readers of committed records don't see some records of a segment. */
  boolean hidesSome(SegmentIndex segment) {
    return segment.nextOffset() > lastStableOffset()
        || transactions.mayHide(segment.baseOffset(), segment.nextOffset());
  }

  /** Returns a number that tells what readers of committed records don't see of a segment. */
  long hiddenFingerprint(SegmentIndex segment) {
    return transactions.fingerprint(segment.baseOffset(), segment.nextOffset());
  }

  /** Returns whether everything that could be visible is known. */
  public boolean isWhole(IsolationLevel isolation) {
    return damages.isEmpty()
        && head == null
        && (isolation == IsolationLevel.READ_UNCOMMITTED || transactions.unknownFates().isEmpty());
  }

  /**
   * Returns what became of the transaction that a batch of this log belongs to.
   *
   * @param batch a batch of data; a marker belongs to none
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} if damage hides it
   */
  public TransactionFate fate(RecordBatch batch) {
    if (!batch.isTransactional() || batch.isControl()) {
      return TransactionFate.NONE;
    }
    for (Damage unknown : transactions.unknownFates()) {
      if (unknown.range().intersects(batch.baseOffset(), batch.nextOffset())) {
        throw unknown.asFailure();
      }
    }
    return transactions.fate(batch.producerId(), batch.baseOffset());
  }

  /** Returns whether a reader of committed records must not see the records of a batch. */
  boolean isAborted(RecordBatch batch) {
    return batch.isTransactional()
        && transactions.isAborted(batch.producerId(), batch.baseOffset());
  }

  /** Returns where and when the record that a cursor is at was written. */
  public static RecordStamp stampOf(RecordBatch batch, RecordCursor record) {
    return new RecordStamp(
        record.offset(), record.timestampMs(), batch.timestampType(), batch.partitionLeaderEpoch());
  }
}
