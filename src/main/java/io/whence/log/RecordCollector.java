package io.whence.log;

import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import io.whence.record.SourceRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies records until there are enough. Single-writer. */
final class RecordCollector implements RecordVisitor {
  private final long offset;
  private final int maxRecords;
  private final long maxBytes;
  private final long largestBytes;
  private final List<StoredRecord> records = new ArrayList<>();
  private long bytes;
  private boolean full;

  RecordCollector(long offset, int maxRecords, long maxBytes) {
    this(offset, maxRecords, maxBytes, StoredRecord.LARGEST_BYTES);
  }

  /**
   * Makes one that has none.
   *
   * @param largestBytes above which size a record is not copied; it fails if it is the first
   */
  RecordCollector(long offset, int maxRecords, long maxBytes, long largestBytes) {
    this.offset = offset;
    this.maxRecords = maxRecords;
    this.maxBytes = maxBytes;
    this.largestBytes = largestBytes;
  }

  @Override
  public boolean visit(RecordBatch batch, RecordCursor record) {
    if (record.offset() < offset) {
      return true;
    }
    if (record.sizeInBytes() > largestBytes) {
      if (records.isEmpty()) {
        throw StoredRecord.tooLarge(record.offset(), record.sizeInBytes(), largestBytes);
      }
      full = true;
      return false;
    }
    StoredRecord copy =
        new StoredRecord(
            LogSnapshot.stampOf(batch, record), record.key(), record.value(), record.headers());
    long size = sizeOf(copy);
    if (!records.isEmpty() && bytes + size > maxBytes) {
      full = true;
      return false;
    }
    records.add(copy);
    bytes += size;
    full = records.size() >= maxRecords || bytes >= maxBytes;
    return !full;
  }

  boolean isFull() {
    return full;
  }

  List<StoredRecord> records() {
    return records;
  }

  /**
   * Returns up to where all visible records were taken, exclusive; {@code end} if none was left.
   */
  long nextOffset(long end) {
    return full ? records.get(records.size() - 1).stamp().offset() + 1 : end;
  }

  private static long sizeOf(StoredRecord record) {
    long size = sizeOf(record.key()) + sizeOf(record.value());
    for (SourceRecord.Header header : record.headers()) {
      size += header.key().length() + sizeOf(header.value());
    }
    return size;
  }

  private static long sizeOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}
