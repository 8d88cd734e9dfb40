package io.whence.record;

/**
 * The layout of the header of a record batch, format version 2. Numbers are big-endian; the
 * positions count from the first byte of the batch.
 *
 * <pre>
 *   0  int64  base offset
 *   8  int32  length: bytes after this field
 *  12  int32  partition leader epoch; -1 unknown
 *  16  int8   magic: 2
 *  17  int32  CRC-32C of everything from the attributes to the end of the batch
 *  21  int16  attributes; only the low byte is used
 *             bits 0-2 codec: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd
 *             bit 3 timestamp type: 1 log append time
 *             bit 4 transactional, bit 5 control, bit 6 has a delete horizon
 *  23  int32  last offset delta: last offset minus base offset
 *  27  int64  base timestamp: deltas count from it; the delete horizon where bit 6 is set
 *  35  int64  max timestamp; -1 none
 *  43  int64  producer id; -1 none
 *  51  int16  producer epoch; -1 none
 *  53  int32  base sequence; -1 none
 *  57  int32  record count
 *  61         the records; one compressed blob when there is a codec
 * </pre>
 */
public final class BatchFormat {
  /** Position of the base offset. */
  public static final int BASE_OFFSET = 0;

  /** Position of the length. */
  public static final int LENGTH = BASE_OFFSET + Long.BYTES;

  /** Position of the partition leader epoch. The CRC doesn't cover it nor anything before it. */
  public static final int PARTITION_LEADER_EPOCH = LENGTH + Integer.BYTES;

  /** Position of the magic. */
  public static final int MAGIC = PARTITION_LEADER_EPOCH + Integer.BYTES;

  /** Position of the CRC. */
  public static final int CRC = MAGIC + Byte.BYTES;

  /** Position of the attributes, the first that the CRC covers. */
  public static final int ATTRIBUTES = CRC + Integer.BYTES;

  /** Position of the last offset delta. */
  public static final int LAST_OFFSET_DELTA = ATTRIBUTES + Short.BYTES;

  /** Position of the base timestamp. */
  public static final int BASE_TIMESTAMP = LAST_OFFSET_DELTA + Integer.BYTES;

  /** Position of the max timestamp. */
  public static final int MAX_TIMESTAMP = BASE_TIMESTAMP + Long.BYTES;

  /** Position of the producer id. */
  public static final int PRODUCER_ID = MAX_TIMESTAMP + Long.BYTES;

  /** Position of the producer epoch. */
  public static final int PRODUCER_EPOCH = PRODUCER_ID + Long.BYTES;

  /** Position of the base sequence. */
  public static final int BASE_SEQUENCE = PRODUCER_EPOCH + Short.BYTES;

  /** Position of the record count. */
  public static final int RECORD_COUNT = BASE_SEQUENCE + Integer.BYTES;

  /** Position of the records, and so the size of the header. */
  public static final int RECORDS = RECORD_COUNT + Integer.BYTES;

  /** How many bytes of a batch the length doesn't count: base offset and length itself. */
  public static final int UNCOUNTED_BYTES = PARTITION_LEADER_EPOCH;

  /** The smallest length: that of a batch without records. */
  public static final int MIN_LENGTH = RECORDS - UNCOUNTED_BYTES;

  /** The only magic that is read here. */
  public static final byte MAGIC_V2 = 2;

  /** The attribute bits of the codec. */
  public static final int CODEC_MASK = 0x07;

  /** The attribute bit of batches whose timestamp the log set. */
  public static final int LOG_APPEND_TIME_BIT = 1 << 3;

  /** The attribute bit of batches of a transaction, markers included. */
  public static final int TRANSACTIONAL_BIT = 1 << 4;

  /** The attribute bit of batches that hold markers and no data. */
  public static final int CONTROL_BIT = 1 << 5;

  /** The attribute bit of batches whose base timestamp is a delete horizon. */
  public static final int DELETE_HORIZON_BIT = 1 << 6;

  private BatchFormat() {}
}
