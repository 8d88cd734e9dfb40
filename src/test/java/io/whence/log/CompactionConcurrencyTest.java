package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.model.OffsetRange;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Appends, compactions and reads at the same time. */
class CompactionConcurrencyTest {
  private static final int BATCHES = 400;
  private static final int RECORDS = 5;
  private static final int KEPT = 7;

  @TempDir private Path directory;

  private final ExecutorService threads = Executors.newFixedThreadPool(5);
  private final Queue<LogEnvironment.Deletion> deletions = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicLong removed = new AtomicLong();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void appendsCompactionsAndReads_neverMissWhatIsKept() throws Exception {
    PartitionLog log = open();
    List<Future<Void>> running = new ArrayList<>();
    for (Callable<Void> work : List.<Callable<Void>>of(compacting(log), compacting(log))) {
      running.add(threads.submit(work));
    }
    running.add(threads.submit(reading(log)));
    appendAll(log);
    done.set(true);
    for (Future<Void> work : running) {
      work.get(60, TimeUnit.SECONDS);
    }
    removed.addAndGet(log.compact((batch, record) -> record.offset() % KEPT == 0));
    assertThat(removed.get()).isPositive();
    assertThat(offsets(log.snapshot(), KEPT)).isEqualTo(kept(BATCHES * RECORDS));
    log.close();
    try (LogClosing again = new LogClosing(open())) {
      assertThat(offsets(again.log().snapshot(), KEPT)).isEqualTo(kept(BATCHES * RECORDS));
      assertThat(offsets(again.log().snapshot(), 1))
          .hasSize((int) (BATCHES * RECORDS - removed.get()));
    }
  }

  private record LogClosing(PartitionLog log) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      log.close();
    }
  }

  private PartitionLog open() throws IOException {
    LogEnvironment environment =
        new LogEnvironment(
            () -> Instant.ofEpochMilli(1_000_000),
            threads,
            deletions::add,
            1 << 20,
            LogEvents.NOOP);
    LogConfig config = LogConfig.of(Map.of("segment.bytes", "2048"));
    return PartitionLogLoader.open(directory, OwnedLog.PARTITION, config, environment, 0, 0);
  }

  private static void appendAll(PartitionLog log) {
    for (int i = 0; i < BATCHES; i++) {
      List<SourceRecord> records = new ArrayList<>();
      for (int r = 0; r < RECORDS; r++) {
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong((long) i * RECORDS + r).array();
        records.add(new SourceRecord(1 + r, null, value, List.of()));
      }
      OffsetRange range =
          log.append(new AppendBatch(records, CompressionCodec.NONE), (long) i * RECORDS)
              .toCompletableFuture()
              .join();
      assertThat(range.startOffset()).isEqualTo((long) i * RECORDS);
    }
  }

  private Callable<Void> compacting(PartitionLog log) {
    return () -> {
      while (!done.get()) {
        removed.addAndGet(log.compact((batch, record) -> record.offset() % KEPT == 0));
      }
      return null;
    };
  }

  private Callable<Void> reading(PartitionLog log) {
    return () -> {
      while (!done.get()) {
        LogSnapshot snapshot = log.snapshot();
        assertThat(offsets(snapshot, KEPT)).isEqualTo(kept(snapshot.highWatermark()));
      }
      return null;
    };
  }

  private static List<Long> kept(long endOffset) {
    return LongStream.range(0, endOffset).filter(offset -> offset % KEPT == 0).boxed().toList();
  }

  /** Reads the offsets that a number divides, and compares every value with what was written. */
  private static List<Long> offsets(LogSnapshot log, int divisor) {
    List<Long> offsets = new ArrayList<>();
    log.readAll(
        0,
        (batch, record) -> {
          assertThat(ByteBuffer.wrap(record.value()).getLong()).isEqualTo(record.offset());
          if (record.offset() % divisor == 0) {
            offsets.add(record.offset());
          }
          return true;
        },
        Cancellation.NONE);
    return offsets;
  }
}
