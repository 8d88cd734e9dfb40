package io.whence.log;

import io.whence.record.BatchFault;
import io.whence.record.BatchFormat;
import io.whence.record.BatchValidator;
import io.whence.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32;

/**
 * A window on a .log file that moves from batch to batch. Memory follows the size of batches that
 * were shown to be whole, never what damaged bytes claim. Thread safety: single-writer.
 */
final class BatchWindow {
  private static final int WINDOW_BYTES = 1 << 20;

  // Messages of formats 0 and 1 have offset, length and magic where batches have them, the CRC in
  // place of the leader epoch, and at least attributes and two lengths behind.
  private static final int OLDER_CRC = BatchFormat.PARTITION_LEADER_EPOCH;
  private static final int OLDER_HEADER_BYTES =
      BatchFormat.MAGIC + 2 * Byte.BYTES + 2 * Integer.BYTES;

  private final SegmentFile file;
  private final long size;
  private final long baseOffset;
  private final RecordBatch batch = new RecordBatch();
  private ByteBuffer buffer = ByteBuffer.allocate(WINDOW_BYTES);
  private long start;
  private int length;

  BatchWindow(SegmentFile file, long size, long baseOffset) {
    this.file = file;
    this.size = size;
    this.baseOffset = baseOffset;
  }

  long size() {
    return size;
  }

  /** Returns the batch that the last successful move went to. */
  RecordBatch batch() {
    return batch;
  }

  /**
   * Moves to the batch at a position.
   *
   * @param previousLastOffset the last offset before it
   * @return what is wrong there; the batch is whole and checked if nothing is
   */
  Optional<BatchFault> moveTo(long position, long previousLastOffset) {
    show(position, Math.min(BatchFormat.RECORDS, size - position));
    batch.wrap(buffer, (int) (position - start));
    Optional<BatchFault> fault =
        BatchValidator.headerFault(batch, size - position, previousLastOffset);
    if (fault.isEmpty()) {
      fault = relativeOffsetFault();
    }
    if (fault.isPresent()) {
      return fault;
    }
    long bytes = batch.sizeInBytes();
    if (bytes > WINDOW_BYTES && !isCrcValidInFile(position, bytes)) {
      return Optional.of(
          new BatchFault("a batch of " + bytes + " bytes with a right CRC-32C", "a wrong one"));
    }
    show(position, bytes);
    batch.wrap(buffer, (int) (position - start));
    return BatchValidator.fault(batch, size - position, previousLastOffset);
  }

  /**
   * Moves to the next whole batch behind bytes that are none.
   *
   * @return its position, or -1 if there is none
   */
  long findBatchAfter(long position, long previousLastOffset) {
    // Where the damaged batch says it ends comes first: its payload may hold batches of another
    // log.
    long declaredEnd = declaredEnd(position);
    if (declaredEnd > position
        && declaredEnd < size
        && moveTo(declaredEnd, previousLastOffset).isEmpty()) {
      return declaredEnd;
    }
    for (long at = position + 1; at + BatchFormat.RECORDS <= size; at++) {
      show(at, BatchFormat.RECORDS);
      if (buffer.get((int) (at - start) + BatchFormat.MAGIC) == BatchFormat.MAGIC_V2
          && moveTo(at, previousLastOffset).isEmpty()) {
        return at;
      }
    }
    return -1;
  }

  /**
   * Returns the magic of the format before version 2, if a whole message of it lies at a position;
   * its checksum tells it from damage.
   */
  OptionalInt olderMagic(long position) {
    if (size - position < OLDER_HEADER_BYTES) {
      return OptionalInt.empty();
    }
    show(position, OLDER_HEADER_BYTES);
    int at = (int) (position - start);
    int magic = buffer.get(at + BatchFormat.MAGIC);
    int crc = buffer.getInt(at + OLDER_CRC);
    long end = position + BatchFormat.UNCOUNTED_BYTES + buffer.getInt(at + BatchFormat.LENGTH);
    boolean plausible =
        (magic == 0 || magic == 1) && end >= position + OLDER_HEADER_BYTES && end <= size;
    long checked = position + BatchFormat.MAGIC;
    return plausible && crc == (int) file.checksum(new CRC32(), checked, end - checked)
        ? OptionalInt.of(magic)
        : OptionalInt.empty();
  }

  /**
   * Returns the base offset of the whole batch at a position, if there is one. Leaves the window
   * there.
   */
  OptionalLong peekBaseOffset(long position, long previousLastOffset) {
    return position < size && moveTo(position, previousLastOffset).isEmpty()
        ? OptionalLong.of(batch.baseOffset())
        : OptionalLong.empty();
  }

  private long declaredEnd(long position) {
    if (size - position < BatchFormat.RECORDS) {
      return -1;
    }
    show(position, BatchFormat.RECORDS);
    return position + batch.wrap(buffer, (int) (position - start)).sizeInBytes();
  }

  private Optional<BatchFault> relativeOffsetFault() {
    long relative = batch.lastOffset() - baseOffset;
    return relative <= Integer.MAX_VALUE
        ? Optional.empty()
        : Optional.of(
            new BatchFault(
                "offsets up to " + (baseOffset + Integer.MAX_VALUE),
                "offset " + batch.lastOffset()));
  }

  private boolean isCrcValidInFile(long position, long bytes) {
    int crc = batch.crc();
    return crc == file.crc32c(position + BatchFormat.ATTRIBUTES, bytes - BatchFormat.ATTRIBUTES);
  }

  /** Makes sure that the window holds some bytes. */
  private void show(long position, long bytes) {
    if (position >= start && position + bytes <= start + length) {
      return;
    }
    if (bytes > buffer.capacity()) {
      buffer = ByteBuffer.allocate((int) bytes);
    }
    start = position;
    length = (int) Math.min(buffer.capacity(), size - position);
    file.read(start, length, buffer);
  }
}
