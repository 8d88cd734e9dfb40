package io.whence.source.embedded;

import io.whence.log.AppendBatch;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;

/**
 * Appends and trims for ever from several threads, and prints a line for everything that was
 * acknowledged. Made to be killed.
 */
final class AppendingServer {
  /** The partitions that it writes. */
  static final List<TopicPartition> PARTITIONS =
      List.of(
          new TopicPartition("small", 0),
          new TopicPartition("small", 1),
          new TopicPartition("large", 0));

  private static final int APPENDERS = 4;

  private final EmbeddedSource source;

  private AppendingServer(EmbeddedSource source) {
    this.source = source;
  }

  /**
   * Runs until it is killed.
   *
   * @param args the data directory and a seed
   */
  public static void main(String[] args) throws IOException {
    ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
    EmbeddedSource source =
        EmbeddedSource.open(
            "local",
            new EmbeddedOptions(
                Path.of(args[0]),
                InstantSource.system(),
                Executors.newFixedThreadPool(2),
                Runnable::run,
                scheduler,
                Duration.ofMillis(30),
                Duration.ofMillis(20),
                LogEvents.NOOP,
                LogMemory.usual()));
    if (source.topics().isEmpty()) {
      source.createTopic("large", 1, Map.of("segment.bytes", "100000", "retention.ms", "-1"));
    }
    if (source.topics().size() < 2) {
      source.createTopic(
          "small",
          2,
          Map.of(
              "segment.bytes", "3000",
              "index.interval.bytes", "200",
              "retention.ms", "-1",
              "retention.bytes", "60000"));
    }
    System.out.println("ready");
    AppendingServer server = new AppendingServer(source);
    ExecutorService appenders = Executors.newFixedThreadPool(APPENDERS);
    Random seeds = new Random(Long.parseLong(args[1]));
    for (int i = 0; i < APPENDERS; i++) {
      long seed = seeds.nextLong();
      appenders.execute(() -> server.run(new Random(seed)));
    }
  }

  private void run(Random random) {
    while (true) {
      TopicPartition partition = PARTITIONS.get(random.nextInt(PARTITIONS.size()));
      if (random.nextInt(40) == 0) {
        trim(partition, random);
      } else {
        append(partition, random);
      }
    }
  }

  private void append(TopicPartition partition, Random random) {
    List<SourceRecord> records = new ArrayList<>();
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[random.nextInt(120)];
      random.nextBytes(value);
      records.add(new SourceRecord(random.nextInt(100_000), null, value, List.of()));
    }
    CompressionCodec codec =
        CompressionCodec.values()[random.nextInt(CompressionCodec.values().length)];
    OffsetRange range =
        source.append(partition, new AppendBatch(records, codec)).toCompletableFuture().join();
    String times =
        records.stream()
            .map(record -> String.valueOf(record.timestampMs()))
            .collect(Collectors.joining(","));
    say("appended", partition, range.startOffset() + " " + times);
  }

  private void trim(TopicPartition partition, Random random) {
    long start = source.snapshot(partition).logStartOffset();
    long end = source.snapshot(partition).highWatermark();
    if (end > start) {
      long to = source.trim(partition, start + random.nextLong(end - start) / 2);
      say("trimmed", partition, String.valueOf(to));
    }
  }

  private static void say(String what, TopicPartition partition, String details) {
    System.out.print(
        what + " " + partition.topic() + " " + partition.partition() + " " + details + "\n");
  }
}
