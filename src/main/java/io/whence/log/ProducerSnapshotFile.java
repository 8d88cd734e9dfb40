package io.whence.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads Kafka's snapshots of producer state, for the transactions that are open. A snapshot only
 * saves time: the log tells the same, so a damaged one counts as none. Thread safety: immutable.
 *
 * <p>The file is named after the offset up to which it knows the log, exclusive. Numbers are
 * big-endian.
 *
 * <pre>
 *    0  int16   version: 1
 *    2  uint32  CRC-32C of everything after it
 *    6  int32   how many entries follow
 *   10  entries of 46 bytes
 *        0  int64  producer id
 *        8  int16  producer epoch
 *       10  int32  last sequence
 *       14  int64  last offset
 *       22  int32  offset delta of the last batch
 *       26  int64  timestamp of the last batch
 *       34  int32  coordinator epoch
 *       38  int64  first offset of the open transaction; -1 none
 * </pre>
 */
final class ProducerSnapshotFile {
  private static final short VERSION_1 = 1;
  private static final int CRC = Short.BYTES;
  private static final int ENTRY_COUNT = CRC + Integer.BYTES;
  private static final int ENTRIES = ENTRY_COUNT + Integer.BYTES;

  private static final int PRODUCER_ID = 0;
  private static final int PRODUCER_EPOCH = PRODUCER_ID + Long.BYTES;
  private static final int LAST_SEQUENCE = PRODUCER_EPOCH + Short.BYTES;
  private static final int LAST_OFFSET = LAST_SEQUENCE + Integer.BYTES;
  private static final int OFFSET_DELTA = LAST_OFFSET + Long.BYTES;
  private static final int TIMESTAMP = OFFSET_DELTA + Integer.BYTES;
  private static final int COORDINATOR_EPOCH = TIMESTAMP + Long.BYTES;
  private static final int FIRST_OFFSET = COORDINATOR_EPOCH + Integer.BYTES;
  private static final int ENTRY_BYTES = FIRST_OFFSET + Long.BYTES;

  private final AtomicFile file;

  /** Makes a reader; touches no file. */
  ProducerSnapshotFile(Path path) {
    file = new AtomicFile(path);
  }

  /**
   * Reads the open transactions.
   *
   * @return the first offset of each open transaction by producer id; nothing if there is no file,
   *     or one that is damaged or of another version
   */
  Optional<Map<Long, Long>> readOpenTransactions() throws IOException {
    return file.read()
        .map(ByteBuffer::wrap)
        .filter(ProducerSnapshotFile::isSound)
        .map(ProducerSnapshotFile::openTransactions);
  }

  private static boolean isSound(ByteBuffer bytes) {
    if (bytes.limit() < ENTRIES || bytes.getShort(0) != VERSION_1) {
      return false;
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().position(ENTRY_COUNT));
    long entryBytes = (long) bytes.getInt(ENTRY_COUNT) * ENTRY_BYTES;
    return bytes.getInt(CRC) == (int) crc.getValue() && entryBytes == bytes.limit() - ENTRIES;
  }

  private static Map<Long, Long> openTransactions(ByteBuffer bytes) {
    Map<Long, Long> firstOffsets = new LinkedHashMap<>();
    for (int at = ENTRIES; at < bytes.limit(); at += ENTRY_BYTES) {
      long firstOffset = bytes.getLong(at + FIRST_OFFSET);
      if (firstOffset >= 0) {
        firstOffsets.put(bytes.getLong(at + PRODUCER_ID), firstOffset);
      }
    }
    return Collections.unmodifiableMap(firstOffsets);
  }
}
