package io.whence.record;

import org.jspecify.annotations.Nullable;

/**
 * What a control batch says. Its one record has a key of int16 version and int16 type: 0 abort, 1
 * commit; the rest belongs to the metadata log.
 */
public enum ControlMarker {
  /** The transaction of the producer was given up. */
  ABORT,
  /** The transaction of the producer was committed. */
  COMMIT,
  /** Nothing about transactions. */
  OTHER;

  private static final int KEY_BYTES = 2 * Short.BYTES;

  /**
   * Reads the marker of a control batch.
   *
   * @param cursor is used, and released
   * @return the marker; {@link #OTHER} if compaction removed it
   * @throws InvalidBatchException if the record can't be read or has no such key
   */
  public static ControlMarker of(RecordBatch batch, RecordCursor cursor) {
    try {
      cursor.reset(batch);
      return cursor.next() ? ofKey(cursor.key()) : OTHER;
    } finally {
      cursor.release();
    }
  }

  private static ControlMarker ofKey(byte @Nullable [] key) {
    if (key == null || key.length < KEY_BYTES) {
      throw new InvalidBatchException(
          "expected a control record key of "
              + KEY_BYTES
              + " bytes, found "
              + (key == null ? "none" : key.length + " bytes"));
    }
    int type = (short) ((key[2] << Byte.SIZE) | (key[3] & 0xFF));
    return switch (type) {
      case 0 -> ABORT;
      case 1 -> COMMIT;
      default -> OTHER;
    };
  }
}
