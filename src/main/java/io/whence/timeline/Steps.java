package io.whence.timeline;

import java.nio.ByteBuffer;

/**
 * Rows of numbers of which the first column, timestamps, and the second, offsets, strictly ascend.
 * They are packed in frames: of each column, a frame has the straight line that comes nearest, and
 * for each row how far it lies above that line, in as few bits as the furthest takes. Thread
 * safety: immutable.
 *
 * <pre>
 * frame = int8 x columns  bits of a distance        int32 x 2  slopes of the first two columns
 *         int64 x columns begin of the line         then the distances, column by column
 * </pre>
 */
final class Steps {
  /** How many rows a frame has; the last one may have fewer. */
  static final int FRAME_ROWS = 128;

  /** What columns are. */
  static final int TIMESTAMP = 0;

  static final int OFFSET = 1;

  /** A slope of 1 row by row, in the fixed-point numbers that slopes are. */
  static final int SLOPE_BITS = 10;

  private static final int MAX_COLUMNS = 4;

  /** So far, the line tells between which rows a time lies, and nothing overflows. */
  private static final long MAX_GUESSED_RISE = 1L << 50;

  private static final int MAX_GUESSED_WIDTH = 50;
  private static final int OVERHEAD_BYTES = 96;
  private static final int WORD_BITS_LOG2 = 6;
  private static final int CACHE_LINE_WORDS = 8;

  private final int rowCount;
  private final int columnCount;
  private final long[] words;

  /**
   * Of each frame, the timestamp of the first row and where in the words it begins: side by side,
   * so that both come with one cache line.
   */
  private final long[] frames;

  private final int frameCount;

  /** How many frames a millisecond has, if all are as long as each other. */
  private final double framesPerMs;

  /**
   * Wraps packed rows.
   *
   * @throws IllegalArgumentException if that is not what the words are
   */
  Steps(int rowCount, int columnCount, long[] words) {
    if (rowCount < 0 || columnCount < 2 || columnCount > MAX_COLUMNS) {
      throw new IllegalArgumentException(rowCount + " rows of " + columnCount + " columns");
    }
    this.rowCount = rowCount;
    this.columnCount = columnCount;
    this.words = words;
    frameCount = (rowCount + FRAME_ROWS - 1) / FRAME_ROWS;
    frames = new long[2 * frameCount];
    long at = 0;
    for (int frame = 0; frame < frameCount; frame++) {
      if (at + headerWords(columnCount) > words.length) {
        throw new IllegalArgumentException("frame " + frame + " of " + frameCount + " is missing");
      }
      frames[2 * frame + 1] = at;
      at += frameWords(words[(int) at], columnCount, rowsOf(frame));
      if (at > words.length) {
        throw new IllegalArgumentException("frame " + frame + " of " + frameCount + " is cut off");
      }
      frames[2 * frame] = value(frame * FRAME_ROWS, TIMESTAMP);
    }
    if (at != words.length) {
      throw new IllegalArgumentException(words.length - at + " words too many");
    }
    framesPerMs =
        frameCount < 2 ? 0 : (frameCount - 1) / ((double) frameMs(frameCount - 1) - frameMs(0));
  }

  private long frameMs(int frame) {
    return frames[2 * frame];
  }

  private int frameAt(int frame) {
    return (int) frames[2 * frame + 1];
  }

  static int headerWords(int columnCount) {
    return 2 + columnCount;
  }

  /** Returns how many words a frame takes. */
  static long frameWords(long widths, int columnCount, int rows) {
    long bits = 0;
    for (int column = 0; column < columnCount; column++) {
      bits += (long) rows * width(widths, column);
    }
    return headerWords(columnCount) + ((bits + Long.SIZE - 1) >>> WORD_BITS_LOG2);
  }

  private static int width(long widths, int column) {
    return (int) (widths >>> (column * Byte.SIZE)) & 0xff;
  }

  int rowCount() {
    return rowCount;
  }

  /** Returns how many bytes of memory it takes. */
  int sizeInBytes() {
    return OVERHEAD_BYTES + words.length * Long.BYTES + frames.length * Long.BYTES;
  }

  /** Returns the first row at or after a time; the row count if there is none. */
  int firstAtOrAfter(long timestampMs) {
    int frame = lastFrameBefore(timestampMs);
    if (frame < 0) {
      return 0;
    }
    int at = frameAt(frame);
    int width = (int) words[at] & 0xff;
    int slope = (int) words[at + 1];
    long begin = words[at + 2];
    long firstBit = (long) (at + headerWords(columnCount)) << WORD_BITS_LOG2;
    int low = 1; // The first row of the frame is before the time.
    int high = rowsOf(frame);
    long rise = timestampMs - begin;
    if (slope > 0 && width < MAX_GUESSED_WIDTH && rise > 0 && rise < MAX_GUESSED_RISE) {
      // Rows of which the line is at the time or above are not before it; those of which it is a
      // whole width below are.
      high = (int) Math.min(high, ((rise << SLOPE_BITS) + slope - 1) / slope);
      long surelyBefore = rise - (1L << width);
      low = surelyBefore < 0 ? 1 : (int) Math.min(high, (surelyBefore << SLOPE_BITS) / slope + 1);
      high = Math.max(low, high);
    }
    // Without a branch that depends on a timestamp, which a processor can't foresee.
    int length = high - low;
    while (length > 0) {
      int half = (length + 1) >>> 1;
      int row = low + half - 1;
      long ms = begin + line(slope, row) + bits(firstBit + (long) row * width, width);
      // 1 if the row is before the time, else 0: the difference of two times that are not negative.
      int isBefore = (int) ((ms - timestampMs) >>> (Long.SIZE - 1));
      low += half * isBefore;
      length -= half;
    }
    return frame * FRAME_ROWS + low;
  }

  /** Looks at what a search at a time is likely to look at, and returns nothing of meaning. */
  long glance(long timestampMs) {
    if (frameCount == 0) {
      return 0;
    }
    int at = frameAt(evenFrame(timestampMs));
    return words[at] + words[Math.min(at + CACHE_LINE_WORDS, words.length - 1)];
  }

  /** Returns in which frame a time would be if time went by evenly. */
  private int evenFrame(long timestampMs) {
    double even = ((double) timestampMs - frameMs(0)) * framesPerMs;
    return (int) Math.max(0, Math.min(even, frameCount - 1));
  }

  /**
   * Returns the last frame that begins before a time; -1 if none does. Looks first where it would
   * be if time went by evenly, and then further and further off: close by it looks at little
   * memory.
   */
  private int lastFrameBefore(long timestampMs) {
    if (frameCount == 0 || frameMs(0) >= timestampMs) {
      return -1;
    }
    int low = evenFrame(timestampMs);
    int high;
    int step = 1;
    if (frameMs(low) < timestampMs) {
      high = low + 1;
      while (high < frameCount && frameMs(high) < timestampMs) {
        low = high;
        high += step;
        step <<= 1;
      }
      high = Math.min(high, frameCount);
    } else {
      high = low;
      low = high - 1;
      while (frameMs(low) >= timestampMs) {
        high = low;
        low = Math.max(0, low - step); // The first one is before the time.
        step <<= 1;
      }
    }
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (frameMs(middle) < timestampMs) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns a number of a row. */
  long value(int row, int column) {
    int frame = row / FRAME_ROWS;
    int inFrame = row % FRAME_ROWS;
    int at = frameAt(frame);
    long widths = words[at];
    int rows = rowsOf(frame);
    long bit = (long) (at + headerWords(columnCount)) << WORD_BITS_LOG2;
    for (int before = 0; before < column; before++) {
      bit += (long) rows * width(widths, before);
    }
    int width = width(widths, column);
    int slope = column > OFFSET ? 0 : (int) (words[at + 1] >>> (column * Integer.SIZE));
    return words[at + 2 + column]
        + line(slope, inFrame)
        + bits(bit + (long) inFrame * width, width);
  }

  /** Returns the rows from one on. */
  Steps from(int firstRow) {
    StepsWriter rest = new StepsWriter(columnCount);
    for (int row = firstRow; row < rowCount; row++) {
      rest.addRow(this, row);
    }
    return rest.toSteps();
  }

  /** Returns how far the line of a slope is above its begin. */
  static long line(int slope, int row) {
    return ((long) slope * row) >> SLOPE_BITS;
  }

  private long bits(long firstBit, int width) {
    if (width == 0) {
      return 0;
    }
    int word = (int) (firstBit >>> WORD_BITS_LOG2);
    int shift = (int) firstBit & (Long.SIZE - 1);
    // Whether a number goes over the end of a word can't be foreseen: both are read.
    long low = words[word] >>> shift;
    long high = words[Math.min(word + 1, words.length - 1)] << 1 << (Long.SIZE - 1 - shift);
    return (low | high) & (-1L >>> (Long.SIZE - width));
  }

  private int rowsOf(int frame) {
    return Math.min(FRAME_ROWS, rowCount - frame * FRAME_ROWS);
  }

  /** Returns how many bytes {@link #writeTo} writes. */
  int writtenBytes() {
    return 3 * Integer.BYTES + words.length * Long.BYTES;
  }

  void writeTo(ByteBuffer out) {
    out.putInt(rowCount).putInt(columnCount).putInt(words.length);
    out.asLongBuffer().put(words);
    out.position(out.position() + words.length * Long.BYTES);
  }

  /** Reads what {@link #writeTo} wrote. */
  static Steps readFrom(ByteBuffer in) {
    int rowCount = in.getInt();
    int columnCount = in.getInt();
    int wordCount = in.getInt();
    if (wordCount < 0 || (long) wordCount * Long.BYTES > in.remaining()) {
      throw new IllegalArgumentException("word count " + wordCount);
    }
    long[] words = new long[wordCount];
    in.asLongBuffer().get(words);
    in.position(in.position() + wordCount * Long.BYTES);
    return new Steps(rowCount, columnCount, words);
  }
}
