package io.whence.log;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.record.BatchFault;
import io.whence.record.BatchValidator;
import io.whence.record.InvalidBatchException;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads the records of one block, with buffers that are used again. Every batch is checked before a
 * record of it is given, since the file may have been damaged after it was indexed. Thread safety:
 * single-writer; each thread has its own.
 */
final class BlockReader {
  /** How many bytes the records of one batch may decompress to. */
  static final int MAX_DECOMPRESSED_BYTES = 256 << 20;

  private static final int USUAL_BLOCK_BYTES = 64 << 10;
  private static final int LARGEST_KEPT_BYTES = 4 << 20;
  private static final ThreadLocal<BlockReader> OF_THREAD =
      ThreadLocal.withInitial(BlockReader::new);

  private final RecordBatch batch = new RecordBatch();
  private final RecordCursor records = new RecordCursor(MAX_DECOMPRESSED_BYTES);
  private ByteBuffer buffer = ByteBuffer.allocate(USUAL_BLOCK_BYTES);

  /** Returns the reader of this thread. Visitors must not read another block meanwhile. */
  static BlockReader current() {
    return OF_THREAD.get();
  }

  void read(BlockCursor cursor, RecordVisitor visitor) {
    SegmentIndex index = cursor.view().index();
    BlockIndex blocks = cursor.blocks();
    int start = blocks.position(cursor.block());
    int length = index.endPosition(blocks, cursor.block()) - start;
    reserve(length);
    cursor.view().file().read(start, length, buffer);
    long previousLastOffset = index.startOffset(blocks, cursor.block()) - 1;
    boolean more = true;
    for (int at = 0; more && at < length; at += (int) batch.sizeInBytes()) {
      batch.wrap(buffer, at);
      Optional<BatchFault> fault = BatchValidator.fault(batch, length - at, previousLastOffset);
      if (fault.isPresent()) {
        throw damaged(cursor, start + at, fault.get().expected(), fault.get().found());
      }
      previousLastOffset = batch.lastOffset();
      more = visitBatch(cursor, visitor, start + at);
    }
  }

  private boolean visitBatch(BlockCursor cursor, RecordVisitor visitor, int position) {
    if (cursor.isHidden(batch)) {
      return true;
    }
    try {
      records.reset(batch, cursor.cancellation());
      while (records.next()) {
        if (cursor.isVisible(records.offset()) && !visitor.visit(batch, records)) {
          return false;
        }
      }
      return true;
    } catch (InvalidBatchException e) {
      throw damaged(cursor, position, "records as the header says", String.valueOf(e.getMessage()));
    } finally {
      records.release();
    }
  }

  private void reserve(int length) {
    if (buffer.capacity() < length || buffer.capacity() > LARGEST_KEPT_BYTES) {
      buffer = ByteBuffer.allocate(Math.max(length, USUAL_BLOCK_BYTES));
    }
  }

  private static WhenceException damaged(
      BlockCursor cursor, long position, String expected, String found) {
    cursor.view().file().foundDamaged(position, expected, found);
    Path path = cursor.view().file().path();
    return WhenceException.of(
        ErrorReason.DAMAGED_LOG,
        path
            + " at byte "
            + position
            + ": expected "
            + expected
            + ", found "
            + found
            + "; the file is damaged, which its opening did not find",
        "path",
        path,
        "position",
        position,
        "expected",
        expected,
        "found",
        found);
  }
}
