package io.whence.timeline;

import java.util.Arrays;

/** Packs rows into {@link Steps}, in their order. Thread safety: single-writer. */
final class StepsWriter {
  private static final int INITIAL_WORDS = 64;

  private final int columnCount;
  private final long[][] rows;
  private int pending;
  private int rowCount;
  private long[] words = new long[INITIAL_WORDS];
  private int wordCount;

  StepsWriter(int columnCount) {
    this.columnCount = columnCount;
    this.rows = new long[columnCount][Steps.FRAME_ROWS];
  }

  /** Adds a row of two columns. */
  void add(long timestampMs, long offset) {
    rows[Steps.TIMESTAMP][pending] = timestampMs;
    rows[Steps.OFFSET][pending] = offset;
    pending++;
    rowCount++;
    if (pending == Steps.FRAME_ROWS) {
      writeFrame();
    }
  }

  /** Adds a row of three columns. */
  void add(long timestampMs, long offset, long third) {
    rows[2][pending] = third;
    add(timestampMs, offset);
  }

  /** Adds a row of four columns. */
  void add(long timestampMs, long offset, long third, long fourth) {
    rows[3][pending] = fourth;
    add(timestampMs, offset, third);
  }

  /** Adds a row of others with as many columns. */
  void addRow(Steps from, int row) {
    for (int column = Steps.OFFSET + 1; column < columnCount; column++) {
      rows[column][pending] = from.value(row, column);
    }
    add(from.value(row, Steps.TIMESTAMP), from.value(row, Steps.OFFSET));
  }

  /** Returns all rows. */
  Steps toSteps() {
    if (pending > 0) {
      writeFrame();
    }
    return new Steps(rowCount, columnCount, Arrays.copyOf(words, wordCount));
  }

  private void writeFrame() {
    long widths = 0;
    long slopes = 0;
    long[] begins = new long[columnCount];
    for (int column = 0; column < columnCount; column++) {
      int slope = column > Steps.OFFSET ? 0 : slopeOf(rows[column]);
      begins[column] = subtractLine(rows[column], slope);
      widths |= (long) widthOf(rows[column]) << (column * Byte.SIZE);
      slopes |= column > Steps.OFFSET ? 0 : (slope & 0xffffffffL) << (column * Integer.SIZE);
    }
    int at = wordCount;
    reserve((int) Steps.frameWords(widths, columnCount, pending));
    words[at] = widths;
    words[at + 1] = slopes;
    System.arraycopy(begins, 0, words, at + 2, columnCount);
    writeDistances(widths, (long) (at + Steps.headerWords(columnCount)) * Long.SIZE);
    pending = 0;
  }

  /** Columns that ascend lie along the line from their first row to their last. */
  private int slopeOf(long[] column) {
    if (pending < 2) {
      return 0;
    }
    long rise = column[pending - 1] - column[0];
    long perRow = rise / (pending - 1);
    boolean tooSteep = perRow > Integer.MAX_VALUE >> (Steps.SLOPE_BITS + 1);
    return tooSteep || rise < 0 ? 0 : (int) ((rise << Steps.SLOPE_BITS) / (pending - 1));
  }

  /** Leaves the distances above the line, and returns where it begins. */
  private long subtractLine(long[] column, int slope) {
    long lowest = Long.MAX_VALUE;
    for (int row = 0; row < pending; row++) {
      column[row] -= Steps.line(slope, row);
      lowest = Math.min(lowest, column[row]);
    }
    for (int row = 0; row < pending; row++) {
      column[row] -= lowest;
    }
    return lowest;
  }

  /** Distances are unsigned: between the smallest and the largest long lie more than a long has. */
  private int widthOf(long[] distances) {
    long all = 0;
    for (int row = 0; row < pending; row++) {
      all |= distances[row];
    }
    return Long.SIZE - Long.numberOfLeadingZeros(all);
  }

  private void reserve(int more) {
    int needed = wordCount + more;
    if (needed > words.length) {
      words = Arrays.copyOf(words, Math.max(needed, words.length + (words.length >> 1)));
    }
    Arrays.fill(words, wordCount, needed, 0);
    wordCount = needed;
  }

  private void writeDistances(long widths, long firstBit) {
    long bit = firstBit;
    for (int column = 0; column < columnCount; column++) {
      int width = (int) (widths >>> (column * Byte.SIZE)) & 0xff;
      for (int row = 0; row < pending && width > 0; row++) {
        int word = (int) (bit >>> 6);
        int shift = (int) bit & (Long.SIZE - 1);
        words[word] |= rows[column][row] << shift;
        if (shift + width > Long.SIZE) {
          words[word + 1] |= rows[column][row] >>> (Long.SIZE - shift);
        }
        bit += width;
      }
    }
  }
}
