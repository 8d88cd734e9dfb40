package io.whence.log;

import io.whence.log.FollowedState.Poison;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.BatchFault;
import io.whence.record.BatchFormat;
import io.whence.record.BatchStripper;
import io.whence.record.BatchValidator;
import io.whence.record.InvalidBatchException;
import io.whence.record.RecordBatch;
import io.whence.record.RecordSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes fetched batches into the segments of a followed log: strips them and writes many at once.
 * Invariant: what was written before something fails is in the log, with its transactions and
 * epochs; nothing else is. Thread safety: single-writer; the lock of the log guards it.
 */
final class FollowedIntake {
  /** So many bytes are written at once, about. */
  private static final int PORTION_BYTES = 1 << 20;

  /** What a header may claim before its records were read. */
  private static final int MOST_EXPECTED_RECORDS = 1 << 16;

  private final TopicPartition partition;
  private final LogConfig config;
  private final FollowedSegments segments;
  private final TransactionTracker transactions;
  private final FollowedEpochs epochs;
  private int lastEpoch;

  /** What is stripped but not written yet: where its bytes begin, and what it is. */
  private int pendingStart;

  private final List<BatchStats> pending = new ArrayList<>();
  private int pendingEpoch;

  /**
   * What is used for one call, and shared by the logs of a thread.
   *
   * @param stripper has what is not written yet
   */
  private record Tools(
      BatchStripper stripper, RecordBatch batch, BatchInspector inspector, RecordBatch stripped) {
    private static final ThreadLocal<Tools> OF_THREAD = ThreadLocal.withInitial(Tools::new);

    Tools() {
      this(
          new BatchStripper(BlockReader.MAX_DECOMPRESSED_BYTES),
          new RecordBatch(),
          new BatchInspector(),
          new RecordBatch());
    }
  }

  /**
   * Takes batches behind the end of the segments.
   *
   * @param lastEpoch the leader epoch of the last batch; negative for none
   */
  FollowedIntake(
      TopicPartition partition,
      LogConfig config,
      FollowedSegments segments,
      TransactionTracker transactions,
      FollowedEpochs epochs,
      int lastEpoch) {
    this.partition = partition;
    this.config = config;
    this.segments = segments;
    this.transactions = transactions;
    this.epochs = epochs;
    this.lastEpoch = lastEpoch;
  }

  /** Returns the leader epoch of the last batch; negative for none. */
  int lastEpoch() {
    return lastEpoch;
  }

  /**
   * Takes batches; the last may be a part of one, and is left then.
   *
   * @param highWatermark the end of what the leader has, exclusive
   * @return whether there was one that can't be read
   * @throws WhenceException {@code UNSUPPORTED_FORMAT} or {@code DAMAGED_LOG} where no next batch
   *     can be told
   */
  boolean take(ByteBuffer batches, long highWatermark) throws IOException {
    Tools tools = Tools.OF_THREAD.get();
    ByteBuffer in = batches.slice();
    pendingStart = 0;
    pending.clear();
    tools.stripper().clear();
    boolean poisoned = false;
    try {
      int at = 0;
      while (in.limit() - at >= BatchFormat.RECORDS) {
        RecordBatch batch = tools.batch().wrap(in, at);
        requireFrame(batch, tools);
        if (batch.sizeInBytes() > in.limit() - at) {
          break;
        }
        at += (int) batch.sizeInBytes();
        long nextBase = baseOffset(in, at);
        Optional<BatchFault> fault = take(batch, nextBase, tools);
        if (fault.isPresent()) {
          write(tools, tools.stripper().sizeInBytes());
          poisoned |= addPoison(batch, fault.get(), Math.min(nextBase, highWatermark));
        }
      }
      write(tools, tools.stripper().sizeInBytes());
      return poisoned;
    } finally {
      pending.clear();
    }
  }

  /** Takes a batch; returns what is wrong if it can't be read. */
  private Optional<BatchFault> take(RecordBatch batch, long nextBase, Tools tools)
      throws IOException {
    Optional<BatchFault> fault =
        BatchValidator.fault(batch, batch.sizeInBytes(), FollowPosition.NO_EPOCH);
    if (fault.isEmpty() && batch.lastOffset() >= nextBase && batch.baseOffset() > endOffset()) {
      // No checksum covers the base offset; of these two, the one that leaves a gap is wrong.
      return Optional.of(
          new BatchFault("offsets below " + nextBase, "offsets up to " + batch.lastOffset()));
    }
    // What ends below was fetched again, with the batches behind it.
    if (fault.isEmpty() && batch.lastOffset() >= endOffset()) {
      try {
        add(batch, tools);
      } catch (InvalidBatchException e) {
        return Optional.of(
            new BatchFault("records as the header says", String.valueOf(e.getMessage())));
      }
    }
    return fault;
  }

  /** The end of all that is written or going to be. */
  private long endOffset() {
    return pending.isEmpty()
        ? segments.endOffset()
        : pending.get(pending.size() - 1).lastOffset() + 1;
  }

  private void add(RecordBatch batch, Tools tools) throws IOException {
    BatchStripper stripper = tools.stripper();
    int start = stripper.sizeInBytes();
    BatchStats stats = strip(batch, tools);
    try {
      if (batch.partitionLeaderEpoch() >= 0) {
        epochs.add(batch.partitionLeaderEpoch(), stats.baseOffset());
      }
      PendingBatches before = new PendingBatches(start - pendingStart, pending.size());
      LogSegment active = segments.active();
      boolean isNew = active.isEmpty() && pending.isEmpty();
      boolean isFar = stats.lastOffset() - active.baseOffset() > Integer.MAX_VALUE;
      if (isFar || (!isNew && active.hasNoRoomFor(stats, config, before))) {
        write(tools, start);
        long end = segments.endOffset();
        boolean isBehindGap = stats.lastOffset() - end > Integer.MAX_VALUE;
        segments.roll(isBehindGap ? stats.baseOffset() : end);
      }
    } catch (IOException | RuntimeException e) {
      stripper.cutTo(start);
      throw e;
    }
    pending.add(stats);
    pendingEpoch = batch.partitionLeaderEpoch();
    if (stripper.sizeInBytes() - pendingStart >= PORTION_BYTES) {
      write(tools, stripper.sizeInBytes());
      stripper.clear();
      pendingStart = 0;
    }
  }

  private BatchStats strip(RecordBatch batch, Tools tools) {
    BatchStripper stripper = tools.stripper();
    int start = stripper.sizeInBytes();
    BatchStats.Timestamps timestamps =
        new BatchStats.Timestamps(
            batch.timestampType(),
            batch.partitionLeaderEpoch(),
            Math.max(0, Math.min(batch.recordCount(), MOST_EXPECTED_RECORDS)));
    TransactionEvent event = tools.inspector().eventOf(batch);
    RecordSink sink = batch.isControl() ? RecordSink.NOTHING : timestamps::add;
    stripper.strip(batch, endOffset(), sink);
    RecordBatch stripped = stripper.wrap(tools.stripped(), start);
    if (event.kind() != TransactionEvent.Kind.NONE) {
      event = new TransactionEvent(event.kind(), event.producerId(), stripped.baseOffset());
    }
    return timestamps.toStats(
        stripped.baseOffset(),
        stripped.lastOffset(),
        (int) stripped.sizeInBytes(),
        stripped.maxTimestampMs(),
        event);
  }

  /** Writes what is pending; its bytes end at a position of the stripper. */
  private void write(Tools tools, int endPosition) throws IOException {
    if (pending.isEmpty()) {
      return;
    }
    ByteBuffer bytes = tools.stripper().bytes().limit(endPosition).position(pendingStart);
    segments.append(bytes, pending);
    for (BatchStats batch : pending) {
      if (batch.transaction().kind() != TransactionEvent.Kind.NONE) {
        transactions.add(batch.transaction());
      }
    }
    lastEpoch = pendingEpoch;
    pendingStart = endPosition;
    pending.clear();
  }

  /** Returns where the batch at a position begins; the largest long if there is none. */
  private static long baseOffset(ByteBuffer batches, int position) {
    boolean isBatch =
        batches.limit() - position >= BatchFormat.RECORDS
            && batches.get(position + BatchFormat.MAGIC) == BatchFormat.MAGIC_V2;
    return isBatch ? batches.getLong(position + BatchFormat.BASE_OFFSET) : Long.MAX_VALUE;
  }

  /**
   * Goes on behind a batch that can't be read.
   *
   * @param limit no offset of the batch lies there or behind
   * @return whether it has offsets that were not taken before
   */
  private boolean addPoison(RecordBatch batch, BatchFault fault, long limit) throws IOException {
    long start = segments.endOffset();
    boolean isOrdered = batch.baseOffset() <= batch.lastOffset();
    if (isOrdered && batch.lastOffset() < start) {
      return false;
    }
    int epoch = Math.max(FollowPosition.NO_EPOCH, batch.partitionLeaderEpoch());
    if (epoch >= 0) {
      epochs.add(epoch, start);
    }
    // The header may be what is damaged. If nothing else says so, each offset is tried.
    boolean isPlausible = isOrdered && batch.lastOffset() < limit;
    long end = isPlausible ? batch.lastOffset() + 1 : start + 1;
    Damage damage =
        new Damage(
            new OffsetRange(start, end),
            FollowedLoader.nameOf(partition),
            0,
            fault.expected(),
            fault.found());
    segments.addPoison(new Poison(damage, epoch));
    transactions.addDamage(damage);
    lastEpoch = epoch;
    return true;
  }

  /** Behind a batch whose length or version is wrong there is no telling where the next begins. */
  private void requireFrame(RecordBatch batch, Tools tools) throws IOException {
    boolean isOlder = batch.magic() == 0 || batch.magic() == 1;
    if (batch.magic() == BatchFormat.MAGIC_V2 && batch.sizeInBytes() >= BatchFormat.RECORDS) {
      return;
    }
    write(tools, tools.stripper().sizeInBytes());
    String expected = isOlder ? "magic 2" : "the header of a batch";
    String found = "magic " + batch.magic() + " and length " + batch.sizeInBytes();
    throw WhenceException.of(
        isOlder ? ErrorReason.UNSUPPORTED_FORMAT : ErrorReason.DAMAGED_LOG,
        partition
            + " from offset "
            + segments.endOffset()
            + " on: expected "
            + expected
            + ", found "
            + found
            + "; it can't be followed there",
        "path",
        FollowedLoader.nameOf(partition),
        "position",
        0,
        "expected",
        expected,
        "found",
        found);
  }
}
