package io.whence.resolve;

import io.whence.testkit.BruteForce;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A log that was made up, with what is to be known about it. Thread safety: immutable.
 *
 * @param segments the segments, by base offset
 * @param records all records, by offset
 * @param logStartOffset the earliest offset that a client may read, as stored
 * @param endOffset the offset after the last batch, exclusive
 * @param highWatermark the end of what readers may see, exclusive
 * @param firstOpenOffset where the first undecided transaction begins; the high watermark for none
 * @param indexIntervalBytes how dense the index is to be
 */
public record RandomLog(
    List<Segment> segments,
    List<OracleRecord> records,
    long logStartOffset,
    long endOffset,
    long highWatermark,
    long firstOpenOffset,
    int indexIntervalBytes) {

  /** A segment: its base offset and its batches. */
  public record Segment(long baseOffset, List<Batch> batches) {
    Segment(long baseOffset) {
      this(baseOffset, new ArrayList<>());
    }
  }

  /** A batch: its bytes, and a line that describes it. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Batch(byte[] bytes, String text) {}

  /** Makes the oracle. */
  public BruteForce oracle() {
    long start = effectiveStartOffset();
    long lastStable = Math.max(start, Math.min(firstOpenOffset, highWatermark));
    return new BruteForce(records, start, highWatermark, lastStable);
  }

  /** Returns the log start offset that holds: files below the first one are gone. */
  public long effectiveStartOffset() {
    return Math.max(logStartOffset, segments.get(0).baseOffset());
  }

  /** Returns the distinct timestamps, ascending. */
  public long[] distinctTimestamps() {
    return records.stream().mapToLong(OracleRecord::timestampMs).sorted().distinct().toArray();
  }

  /** Replaces the contents of a directory by the .log files. */
  void write(Path directory) {
    try {
      try (Stream<Path> old = Files.list(directory)) {
        for (Path file : old.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
      for (Segment segment : segments) {
        String name = String.format(Locale.ROOT, "%020d.log", segment.baseOffset());
        try (var out = Files.newOutputStream(directory.resolve(name))) {
          for (Batch batch : segment.batches()) {
            out.write(batch.bytes());
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a dump that shows every record. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("start=").append(logStartOffset).append(" hw=").append(highWatermark);
    text.append(" firstOpen=").append(firstOpenOffset).append(" interval=");
    text.append(indexIntervalBytes);
    for (Segment segment : segments) {
      text.append("\n|| base=").append(segment.baseOffset());
      segment.batches().forEach(batch -> text.append("\n | ").append(batch.text()));
    }
    return text.toString();
  }
}
