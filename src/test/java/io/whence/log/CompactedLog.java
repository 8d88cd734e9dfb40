package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/** A log of our own beside a map of what must be in it. Thread safety: single-writer. */
final class CompactedLog implements AutoCloseable {
  final OwnedLog owned;

  /** Timestamp, key, value and headers by offset. */
  final TreeMap<Long, String> contents = new TreeMap<>();

  private final TreeMap<Long, OracleRecord> stamps = new TreeMap<>();
  private final Random random;
  private long nextOffset;

  CompactedLog(Path directory, Random random, Object... settings) {
    this.owned = OwnedLog.open(directory, settings);
    this.random = random;
  }

  /** Appends batches of random records in random codecs. */
  void appendRandom(int batchCount) {
    CompressionCodec[] codecs = CompressionCodec.values();
    owned.holdFlushes();
    for (int i = 0; i < batchCount; i++) {
      List<SourceRecord> records = new ArrayList<>();
      for (int r = 1 + random.nextInt(6); r > 0; r--) {
        records.add(record());
      }
      append(records, random.nextBoolean() ? CompressionCodec.NONE : codecs[random.nextInt(5)]);
    }
    owned.releaseFlushes();
  }

  private SourceRecord record() {
    byte[] key = random.nextInt(5) == 0 ? null : new byte[] {(byte) random.nextInt(20)};
    byte[] value = random.nextInt(5) == 0 ? null : new byte[random.nextInt(90)];
    if (value != null) {
      random.nextBytes(value);
    }
    List<SourceRecord.Header> headers =
        random.nextInt(4) == 0
            ? List.of(new SourceRecord.Header("h", new byte[] {(byte) random.nextInt()}))
            : List.of();
    return new SourceRecord(1 + random.nextInt(100_000), key, value, headers);
  }

  void append(List<SourceRecord> records, CompressionCodec codec) {
    long offset = nextOffset;
    owned
        .log()
        .append(new AppendBatch(records, codec), offset)
        .whenComplete((range, failure) -> assertThat(failure).isNull());
    nextOffset += records.size();
    for (SourceRecord record : records) {
      stamps.put(offset, OracleRecord.data(offset, record.timestampMs()));
      contents.put(
          offset, text(record.timestampMs(), record.key(), record.value(), record.headers()));
      offset++;
    }
  }

  /** Compacts, and expects what is kept from now on. Returns how many records were dropped. */
  long compact(LongPredicate keeps) {
    long activeBase = owned.baseOffsets().get(owned.baseOffsets().size() - 1);
    List<Long> asked = new ArrayList<>();
    long removed;
    try {
      removed =
          owned
              .log()
              .compact(
                  (batch, record) -> {
                    asked.add(record.offset());
                    assertThat(
                            text(
                                record.timestampMs(),
                                record.key(),
                                record.value(),
                                record.headers()))
                        .isEqualTo(contents.get(record.offset()));
                    return keeps.test(record.offset());
                  });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(asked).containsExactlyElementsOf(contents.headMap(activeBase).keySet());
    long before = contents.size();
    contents.keySet().removeIf(offset -> offset < activeBase && !keeps.test(offset));
    stamps.keySet().retainAll(contents.keySet());
    assertThat(removed).isEqualTo(before - contents.size());
    return removed;
  }

  /** Fails if the log doesn't hold and answer what it must. */
  void assertExact() {
    assertThat(owned.snapshot().damages()).isEmpty();
    assertThat(owned.snapshot().highWatermark()).isEqualTo(nextOffset);
    assertThat(read(owned.snapshot())).isEqualTo(contents);
    OwnedLog.assertExact(owned.snapshot(), List.copyOf(stamps.values()));
  }

  static Map<Long, String> read(LogSnapshot log) {
    Map<Long, String> read = new TreeMap<>();
    log.readAll(
        0,
        (batch, record) -> {
          String text = text(record.timestampMs(), record.key(), record.value(), record.headers());
          assertThat(read.put(record.offset(), text)).isNull();
          return true;
        },
        Cancellation.NONE);
    return read;
  }

  private static String text(
      long timestampMs, byte[] key, byte[] value, List<SourceRecord.Header> headers) {
    StringBuilder text = new StringBuilder().append(timestampMs).append(' ');
    text.append(Arrays.toString(key)).append(Arrays.toString(value));
    headers.forEach(h -> text.append(h.key()).append(Arrays.toString(h.value())));
    return text.toString();
  }

  @Override
  public void close() {
    owned.close();
  }
}
