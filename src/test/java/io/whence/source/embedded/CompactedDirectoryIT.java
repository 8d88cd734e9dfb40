package io.whence.source.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.AppendBatch;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.InternalTopic;
import io.whence.testkit.ExactAnswers;
import io.whence.testkit.KafkaRecords;
import io.whence.testkit.KafkaTools;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's own classes and tools read what a compaction leaves. */
class CompactedDirectoryIT {
  private static final String NAME = "__consumer_offsets";
  private static final int BATCHES = 150;
  private static final int KEPT = 6;

  private final DataDir dir = new DataDir();
  private final Random random = new Random(3);
  @TempDir private Path given;

  @AfterEach
  void stop() {
    dir.close();
  }

  @Test
  void compactedLogs_areReadByKafka() throws IOException {
    CompressionCodec[] codecs = CompressionCodec.values();
    Map<String, String> config = new HashMap<>(DataDir.ANY_TIME);
    config.putAll(Map.of("segment.bytes", "4000", "index.interval.bytes", "300"));
    try (EmbeddedSource source = dir.open(given)) {
      InternalTopic topic = source.createInternalTopic(NAME, codecs.length, config);
      for (CompressionCodec codec : codecs) {
        write(topic, codec);
        int before = topic.snapshot(codec.ordinal()).segments().size();
        long removed =
            topic.compact(codec.ordinal(), (batch, record) -> record.offset() % KEPT == 0);
        assertThat(removed).isPositive();
        topic.compact(codec.ordinal(), (batch, record) -> true);
        assertThat(topic.snapshot(codec.ordinal()).segments().size()).isLessThan(before);
      }
    }
    try (EmbeddedSource source = dir.open(given)) {
      for (CompressionCodec codec : codecs) {
        assertReadAlike(source, new TopicPartition(NAME, codec.ordinal()));
      }
    }
    for (Path partition : list(given, "-[0-9]+")) {
      dump(partition);
    }
  }

  private void write(InternalTopic topic, CompressionCodec codec) {
    long nextOffset = 0;
    for (int i = 0; i < BATCHES; i++) {
      List<SourceRecord> records = new ArrayList<>();
      for (int r = 1 + random.nextInt(8); r > 0; r--) {
        byte[] value = new byte[random.nextInt(60)];
        random.nextBytes(value);
        records.add(new SourceRecord(1 + random.nextInt(50_000), new byte[] {1}, value, List.of()));
      }
      nextOffset =
          topic
              .append(codec.ordinal(), new AppendBatch(records, codec), nextOffset)
              .toCompletableFuture()
              .join()
              .endOffset();
    }
  }

  private void assertReadAlike(EmbeddedSource source, TopicPartition partition) {
    List<OracleRecord> byKafka = KafkaRecords.read(given.resolve(partition.toString()));
    assertThat(byKafka).hasSizeGreaterThan(BATCHES / KEPT);
    ExactAnswers.assertExact(source.snapshot(partition), byKafka, random);
  }

  private static void dump(Path partition) throws IOException {
    Path[] logs = list(partition, "\\.log").toArray(Path[]::new);
    assertThat(logs).hasSizeGreaterThan(1);
    assertSound(KafkaTools.dumpLog(List.of("--deep-iteration"), logs));
    for (String suffix : List.of("\\.index", "\\.timeindex")) {
      Path[] indexes =
          list(partition, suffix).stream()
              .filter(file -> file.toFile().length() > 0)
              .toArray(Path[]::new);
      assertThat(indexes).isNotEmpty();
      assertSound(KafkaTools.dumpLog(List.of("--verify-index-only"), indexes));
    }
  }

  private static void assertSound(String dump) {
    assertThat(dump.toLowerCase(Locale.ROOT))
        .contains("dumping")
        .doesNotContain("mismatch", "not found", "out of order", "corrupt", "exception");
  }

  private static List<Path> list(Path directory, String ending) throws IOException {
    try (var files = Files.list(directory)) {
      return files.filter(file -> file.toString().matches(".*" + ending)).sorted().toList();
    }
  }
}
