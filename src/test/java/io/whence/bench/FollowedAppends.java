package io.whence.bench;

import io.whence.log.FollowedEnds;
import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.log.LogSnapshot;
import io.whence.log.SegmentInfo;
import io.whence.model.TopicPartition;
import io.whence.record.BatchFormat;
import io.whence.record.CompressionCodec;
import io.whence.record.RecordBatch;
import io.whence.record.RecordBatchBuilder;
import io.whence.record.SourceRecord;
import io.whence.testkit.BatchBuilder;
import io.whence.testkit.Directories;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Shows how fast a followed log takes records of 100 bytes, and what it keeps of a million of them.
 * The only argument is how many rounds there are; the first warms up. Thread safety: single-writer.
 */
public final class FollowedAppends {
  private static final int RECORDS = 1_000_000;
  private static final int BATCH_RECORDS = 140;
  private static final int ANSWER_BYTES = 1 << 20;
  private static final int PAYLOAD_BYTES = 100;
  private static final int TRANSACTION_BATCHES = 5;
  private static final int PRODUCER = 7;
  private static final int CHECKPOINT_BYTES = 16 << 20;

  private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

  private FollowedAppends() {}

  /** Runs it. */
  public static void main(String[] arguments) throws IOException {
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    for (CompressionCodec codec : List.of(CompressionCodec.NONE, CompressionCodec.LZ4)) {
      for (int jitterMs : new int[] {0, 5_000}) {
        String what = codec + (jitterMs == 0 ? ", in order" : ", within " + jitterMs + " ms");
        run(what, answers(codec, jitterMs, false), rounds);
      }
    }
    run("lz4, in order, in transactions", answers(CompressionCodec.LZ4, 0, true), rounds);
  }

  private static void run(String what, List<ByteBuffer> answers, int rounds) throws IOException {
    for (int round = 0; round < rounds; round++) {
      Path directory = Directories.temporary("whence-followed-appends");
      try {
        FollowedLog log = open(directory);
        long cpuStart = CPU.getCurrentThreadCpuTime();
        long nanos = append(log, answers);
        double cpuNanos = CPU.getCurrentThreadCpuTime() - cpuStart;
        LogSnapshot snapshot = log.snapshot();
        long memory = snapshot.segments().stream().mapToLong(SegmentInfo::timelineBytes).sum();
        log.close();
        print(
            "%s: %.2f million records/s, %.0f ns of CPU a record%s",
            what, 1e3 * RECORDS / nanos, cpuNanos / RECORDS, warm(round));
        if (round == rounds - 1) {
          double perMillion = 1e6 / RECORDS;
          print(
              "%s: of a million records .log %.2f MB, all files %.2f MB, timelines %.3f MB",
              what,
              perMillion * snapshot.sizeBytes() / 1e6,
              perMillion * filesBytes(directory) / 1e6,
              perMillion * memory / 1e6);
          long start = System.nanoTime();
          open(directory).close();
          print("%s: opened and closed again in %.1f ms", what, (System.nanoTime() - start) / 1e6);
        }
      } finally {
        Directories.delete(directory);
      }
    }
  }

  private static String warm(int round) {
    return round == 0 ? " (not warm)" : "";
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static FollowedLog open(Path directory) throws IOException {
    LogEnvironment environment =
        new LogEnvironment(
            InstantSource.system(),
            Runnable::run,
            deletion -> {},
            CHECKPOINT_BYTES,
            LogEvents.NOOP);
    return FollowedLog.open(
        directory,
        new TopicPartition("t", 0),
        LogConfig.of(Map.of()),
        environment,
        FollowedLogOptions.startingAt(0));
  }

  private static long append(FollowedLog log, List<ByteBuffer> answers) throws IOException {
    FollowedEnds ends = new FollowedEnds(0, Integer.MAX_VALUE, 0);
    long start = System.nanoTime();
    for (ByteBuffer answer : answers) {
      log.append(answer, ends);
    }
    long nanos = System.nanoTime() - start;
    LogSnapshot snapshot = log.snapshot();
    if (snapshot.highWatermark() < RECORDS
        || snapshot.lastStableOffset() != snapshot.highWatermark()) {
      throw new IllegalStateException("the log is at " + log.position());
    }
    return nanos;
  }

  private static long filesBytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      long bytes = 0;
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  /**
   * Makes what a leader answers: whole batches, about as many as it gives at a time.
   *
   * @param inTransactions whether there is a marker behind each few batches; one of ten aborts
   */
  private static List<ByteBuffer> answers(
      CompressionCodec codec, int jitterMs, boolean inTransactions) {
    Random random = new Random(1);
    List<ByteBuffer> answers = new ArrayList<>();
    ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES);
    long nextOffset = 0;
    for (int record = 0; record < RECORDS; record += BATCH_RECORDS) {
      ByteBuffer batch = batch(codec, jitterMs, record, random);
      RecordBatchBuilder.assignOffsets(batch, nextOffset, 0);
      nextOffset += Math.min(BATCH_RECORDS, RECORDS - record);
      if (inTransactions) {
        asTransactional(batch);
      }
      answer = put(batch, answer, answers);
      boolean isLast = record + BATCH_RECORDS >= RECORDS;
      if (inTransactions && (isLast || record % (TRANSACTION_BATCHES * BATCH_RECORDS) == 0)) {
        byte[] marker =
            random.nextInt(10) == 0
                ? BatchBuilder.abort(nextOffset++, PRODUCER, 0, record)
                : BatchBuilder.commit(nextOffset++, PRODUCER, 0, record);
        answer = put(ByteBuffer.wrap(marker), answer, answers);
      }
    }
    answers.add(answer.flip());
    return answers;
  }

  private static ByteBuffer put(ByteBuffer batch, ByteBuffer answer, List<ByteBuffer> answers) {
    ByteBuffer target = answer;
    if (batch.remaining() > target.remaining()) {
      answers.add(target.flip());
      target = ByteBuffer.allocate(ANSWER_BYTES);
    }
    return target.put(batch);
  }

  private static void asTransactional(ByteBuffer batch) {
    int attributes = batch.getShort(BatchFormat.ATTRIBUTES) | BatchFormat.TRANSACTIONAL_BIT;
    batch.putShort(BatchFormat.ATTRIBUTES, (short) attributes);
    batch.putLong(BatchFormat.PRODUCER_ID, PRODUCER);
    batch.putShort(BatchFormat.PRODUCER_EPOCH, (short) 0);
    batch.putInt(BatchFormat.CRC, new RecordBatch().wrap(batch, 0).computeCrc());
  }

  private static ByteBuffer batch(
      CompressionCodec codec, int jitterMs, int firstRecord, Random random) {
    List<SourceRecord> records = new ArrayList<>();
    int end = Math.min(RECORDS, firstRecord + BATCH_RECORDS);
    for (int record = firstRecord; record < end; record++) {
      long timestampMs =
          1_700_000_000_000L + record - (jitterMs == 0 ? 0 : random.nextInt(jitterMs));
      records.add(new SourceRecord(timestampMs, null, payload(record, random), List.of()));
    }
    return RecordBatchBuilder.createTime(records, codec, -1);
  }

  private static byte[] payload(int number, Random random) {
    StringBuilder text = new StringBuilder("{\"order\":").append(number);
    text.append(",\"customer\":\"c").append(random.nextInt(100_000)).append("\",\"amount\":");
    text.append(random.nextInt(1_000_000)).append(",\"state\":\"paid\",\"note\":\"");
    while (text.length() < PAYLOAD_BYTES - 2) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.append("\"}").toString().getBytes(StandardCharsets.UTF_8);
  }
}
