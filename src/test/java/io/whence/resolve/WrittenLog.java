package io.whence.resolve;

import io.whence.log.TestLogs;
import io.whence.record.CompressionCodec;
import io.whence.testkit.BatchBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Writes the .log files of a test: {@code 0:10 1:20 | 2:30 || 3:40} are the offsets and timestamps
 * of two batches in one segment and one batch in the next. Thread safety: single-writer.
 */
public final class WrittenLog {
  private final Path directory;
  private CompressionCodec codec = CompressionCodec.NONE;
  private int indexIntervalBytes = 1;
  private long logStartOffset;
  private long nextOffset;

  /** Writes to a directory. */
  public WrittenLog(Path directory) {
    this.directory = directory;
  }

  public WrittenLog codec(CompressionCodec codec) {
    this.codec = codec;
    return this;
  }

  public WrittenLog indexIntervalBytes(int indexIntervalBytes) {
    this.indexIntervalBytes = indexIntervalBytes;
    return this;
  }

  public WrittenLog startingAt(long logStartOffset) {
    this.logStartOffset = logStartOffset;
    return this;
  }

  /** Writes all segments; the first has base offset 0, an empty one that of the end. */
  public WrittenLog write(String notation) {
    String[] segments = notation.split("\\|\\|", -1);
    for (int i = 0; i < segments.length; i++) {
      String[] batches = segments[i].isBlank() ? new String[0] : segments[i].split("\\|");
      long base = i == 0 || batches.length == 0 ? nextOffset : baseOffset(batches[0]);
      byte[][] bytes = new byte[batches.length][];
      for (int b = 0; b < batches.length; b++) {
        bytes[b] = batch(batches[b]);
      }
      segment(base, bytes);
    }
    return this;
  }

  /** Writes one segment. */
  public WrittenLog segment(long baseOffset, byte[]... batches) {
    nextOffset = Math.max(nextOffset, baseOffset);
    String name = String.format(Locale.ROOT, "%020d.log", baseOffset);
    try (var out = Files.newOutputStream(directory.resolve(name))) {
      for (byte[] batch : batches) {
        out.write(batch);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  public TestLogs.Loaded load() {
    return TestLogs.load(directory, indexIntervalBytes, logStartOffset);
  }

  private byte[] batch(String records) {
    long base = baseOffset(records);
    BatchBuilder batch = BatchBuilder.batch(base).codec(codec);
    for (String record : records.strip().split(" +")) {
      String[] parts = record.split(":");
      long offset = Long.parseLong(parts[0]);
      batch.recordAt((int) (offset - base), Long.parseLong(parts[1]));
      nextOffset = offset + 1;
    }
    return batch.build();
  }

  private static long baseOffset(String records) {
    return Long.parseLong(records.strip().split(":")[0]);
  }
}
