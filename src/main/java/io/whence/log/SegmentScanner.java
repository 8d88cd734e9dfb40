package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.WhenceException;
import io.whence.record.BatchFault;
import io.whence.record.InvalidBatchException;
import io.whence.record.RecordBatch;
import io.whence.timeline.SegmentTimeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Reads a .log file from front to back and indexes every batch that can be read. Thread safety:
 * single-writer.
 */
final class SegmentScanner {
  /** What to do at bytes that are not a batch. */
  enum OnFault {
    /** End there, as Kafka's recovery does. */
    STOP,
    /** Look for the next batch behind them. */
    SKIP
  }

  /**
   * What was found.
   *
   * @param index the batches that can be read
   * @param timeline their records, if those before the scan are known
   * @param damages what lies between batches that can be read
   * @param tail the fault after the last batch that can be read, if the file goes on behind it; its
   *     range is empty and begins at the next offset of the index
   */
  record Result(
      SegmentIndex index,
      Optional<SegmentTimeline> timeline,
      List<Damage> damages,
      Optional<Damage> tail) {}

  private final SegmentFile file;
  private final SegmentIndexBuilder builder;
  private final BatchWindow window;
  private final OnFault onFault;
  private final OptionalLong nextSegment;
  private final List<Damage> damages = new ArrayList<>();
  private final BatchInspector inspector = new BatchInspector();

  /**
   * Prepares a scan that goes on where the builder ends.
   *
   * @param size where the scan ends, in bytes
   * @param nextSegment the base offset of the segment behind, if there is one
   */
  SegmentScanner(
      SegmentFile file,
      long size,
      SegmentIndexBuilder builder,
      OnFault onFault,
      OptionalLong nextSegment) {
    this.file = file;
    this.nextSegment = nextSegment;
    this.builder = builder;
    this.onFault = onFault;
    this.window = new BatchWindow(file, size, builder.baseOffset());
  }

  Result scan() {
    while (builder.sizeBytes() < window.size()) {
      Optional<BatchFault> fault = moveToNextBatch();
      if (fault.isEmpty()) {
        addBatch(window.batch());
        continue;
      }
      rejectOlderFormat();
      if (onFault == OnFault.STOP || !skipTo(fault.get(), nextBatchPosition())) {
        return result(Optional.of(damage(fault.get(), builder.nextOffset())));
      }
    }
    return result(Optional.empty());
  }

  private Optional<BatchFault> moveToNextBatch() {
    int position = builder.sizeBytes();
    long previousLastOffset = builder.nextOffset() - 1;
    Optional<BatchFault> fault = window.moveTo(position, previousLastOffset);
    RecordBatch batch = window.batch();
    if (fault.isPresent()
        || onFault == OnFault.STOP
        || batch.baseOffset() == builder.nextOffset()) {
      return fault;
    }
    // No checksum covers a base offset. One that is too high leaves a gap before the batch, as
    // compaction does, but also hides the batches behind it.
    long baseOffset = batch.baseOffset();
    long lastOffset = batch.lastOffset();
    long end = position + batch.sizeInBytes();
    OptionalLong following =
        end < window.size() ? window.peekBaseOffset(end, previousLastOffset) : nextSegment;
    if (following.isPresent() && following.getAsLong() <= lastOffset) {
      return Optional.of(
          new BatchFault(
              "offsets below " + following.getAsLong() + ", where what follows begins",
              "offsets from " + baseOffset + " to " + lastOffset));
    }
    return window.moveTo(position, previousLastOffset);
  }

  private void rejectOlderFormat() {
    int position = builder.sizeBytes();
    OptionalInt magic = window.olderMagic(position);
    if (magic.isPresent()) {
      throw WhenceException.of(
          ErrorReason.UNSUPPORTED_FORMAT,
          file.path()
              + " at byte "
              + position
              + ": expected magic 2, found magic "
              + magic.getAsInt()
              + "; messages of formats before Kafka 0.11 are not read here",
          "path",
          file.path(),
          "position",
          position,
          "expected",
          "magic 2",
          "found",
          "magic " + magic.getAsInt());
    }
  }

  private Result result(Optional<Damage> tail) {
    return new Result(builder.build(), builder.timeline(), List.copyOf(damages), tail);
  }

  private void addBatch(RecordBatch batch) {
    try {
      builder.add(inspector.statsOf(batch));
    } catch (InvalidBatchException e) {
      // The checksum is right, so the bytes are those that were written; Kafka keeps such a batch
      // too.
      BatchFault fault =
          new BatchFault("records as the header says", String.valueOf(e.getMessage()));
      damages.add(damage(fault, batch.nextOffset()));
      builder.skip((int) batch.sizeInBytes(), batch.nextOffset());
    }
  }

  private long nextBatchPosition() {
    return window.findBatchAfter(builder.sizeBytes(), builder.nextOffset() - 1);
  }

  private boolean skipTo(BatchFault fault, long position) {
    if (position < 0) {
      return false;
    }
    long nextOffset = window.batch().baseOffset();
    damages.add(damage(fault, nextOffset));
    builder.skip((int) (position - builder.sizeBytes()), nextOffset);
    return true;
  }

  private Damage damage(BatchFault fault, long endOffset) {
    return new Damage(
        new OffsetRange(builder.nextOffset(), endOffset),
        file.path().toString(),
        builder.sizeBytes(),
        fault.expected(),
        fault.found());
  }
}
