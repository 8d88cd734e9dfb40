package io.whence.record;

import io.whence.model.TimestampType;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A view of one batch in a buffer, to be moved from batch to batch without allocating. Invariant:
 * neither the buffer's bytes nor its position and limit ever change. Thread safety: single-writer;
 * whoever wraps reads.
 *
 * <p>Nothing is checked here: {@link BatchValidator} says whether there is a batch at all, and
 * reading one that isn't ends in wrong values or an {@link IndexOutOfBoundsException}.
 */
public final class RecordBatch {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final CRC32C crc = new CRC32C();
  private ByteBuffer buffer = NOTHING;
  private ByteBuffer checksummed = NOTHING;
  private int position;

  /**
   * Moves the view.
   *
   * @param buffer a big-endian buffer
   * @param position where in the buffer the batch starts
   * @return this
   */
  public RecordBatch wrap(ByteBuffer buffer, int position) {
    if (isOtherBuffer(buffer)) {
      this.buffer = buffer;
      // The CRC can only be fed by moving a position, and the caller's must stay.
      checksummed = buffer.duplicate();
    }
    this.position = position;
    return this;
  }

  @SuppressWarnings("ReferenceEquality") // Equal contents in another buffer would not do.
  private boolean isOtherBuffer(ByteBuffer other) {
    return buffer != other;
  }

  /** Returns where in the buffer the batch starts. */
  public int position() {
    return position;
  }

  /** Returns the first offset that the batch may hold; compaction may have removed the record. */
  public long baseOffset() {
    return buffer.getLong(position + BatchFormat.BASE_OFFSET);
  }

  /** Returns the last offset of the batch, inclusive; compaction may have removed the record. */
  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  /** Returns the offset after the batch. */
  public long nextOffset() {
    return lastOffset() + 1;
  }

  /** Returns the last offset less the base offset. */
  public int lastOffsetDelta() {
    return buffer.getInt(position + BatchFormat.LAST_OFFSET_DELTA);
  }

  /** Returns how many bytes the batch takes, header and all. A long, since garbage may say 2^31. */
  public long sizeInBytes() {
    return (long) length() + BatchFormat.UNCOUNTED_BYTES;
  }

  /** Returns the leader epoch in which the batch was written; negative when it doesn't say. */
  public int partitionLeaderEpoch() {
    return buffer.getInt(position + BatchFormat.PARTITION_LEADER_EPOCH);
  }

  /** Returns the version of the format; 2 for everything that is read here. */
  public byte magic() {
    return buffer.get(position + BatchFormat.MAGIC);
  }

  /** Returns the CRC-32C that the batch says it has. */
  public int crc() {
    return buffer.getInt(position + BatchFormat.CRC);
  }

  /** Returns the CRC-32C that the batch has. All of it must be in the buffer. */
  public int computeCrc() {
    int end = Math.toIntExact(position + sizeInBytes());
    crc.reset();
    crc.update(checksummed.clear().limit(end).position(position + BatchFormat.ATTRIBUTES));
    return (int) crc.getValue();
  }

  /** Returns whether the batch has the CRC-32C that it says it has. */
  public boolean isCrcValid() {
    return crc() == computeCrc();
  }

  /**
   * Returns how the records are compressed.
   *
   * @throws InvalidBatchException for a codec that there isn't
   */
  public CompressionCodec codec() {
    return CompressionCodec.forId(attributes() & BatchFormat.CODEC_MASK);
  }

  /** Returns who set the timestamps of the records. */
  public TimestampType timestampType() {
    return has(BatchFormat.LOG_APPEND_TIME_BIT)
        ? TimestampType.LOG_APPEND_TIME
        : TimestampType.CREATE_TIME;
  }

  /** Returns whether the batch belongs to a transaction. */
  public boolean isTransactional() {
    return has(BatchFormat.TRANSACTIONAL_BIT);
  }

  /** Returns whether the batch holds markers instead of data. */
  public boolean isControl() {
    return has(BatchFormat.CONTROL_BIT);
  }

  /** Returns whether the base timestamp is the time from which tombstones may be removed. */
  public boolean hasDeleteHorizon() {
    return has(BatchFormat.DELETE_HORIZON_BIT);
  }

  /** Returns the time from which the timestamp deltas of the records count, in epoch ms. */
  public long baseTimestampMs() {
    return buffer.getLong(position + BatchFormat.BASE_TIMESTAMP);
  }

  /** Returns the largest timestamp that the batch had when written, in epoch ms; -1 for none. */
  public long maxTimestampMs() {
    return buffer.getLong(position + BatchFormat.MAX_TIMESTAMP);
  }

  /** Returns the id of the producer; negative for none. */
  public long producerId() {
    return buffer.getLong(position + BatchFormat.PRODUCER_ID);
  }

  /** Returns the epoch of the producer; negative for none. */
  public short producerEpoch() {
    return buffer.getShort(position + BatchFormat.PRODUCER_EPOCH);
  }

  /** Returns the sequence number of the first record; negative for none. */
  public int baseSequence() {
    return buffer.getInt(position + BatchFormat.BASE_SEQUENCE);
  }

  /** Returns how many records the batch holds; 0 when compaction removed them all. */
  public int recordCount() {
    return buffer.getInt(position + BatchFormat.RECORD_COUNT);
  }

  /** Returns the bytes of the batch, in a view of their own on the buffer. */
  public ByteBuffer bytes() {
    return buffer.slice(position, Math.toIntExact(sizeInBytes()));
  }

  int length() {
    return buffer.getInt(position + BatchFormat.LENGTH);
  }

  ByteBuffer buffer() {
    return buffer;
  }

  int remainingBytes() {
    return buffer.limit() - position;
  }

  private int attributes() {
    return buffer.getShort(position + BatchFormat.ATTRIBUTES);
  }

  private boolean has(int bit) {
    return (attributes() & bit) != 0;
  }
}
