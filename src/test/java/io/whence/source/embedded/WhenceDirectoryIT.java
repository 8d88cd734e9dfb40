package io.whence.source.embedded;

import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.AppendBatch;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.resolve.LogResolver;
import io.whence.testkit.BrokerComparison;
import io.whence.testkit.BrokerComparison.Cause;
import io.whence.testkit.BrokerComparison.Difference;
import io.whence.testkit.Directories;
import io.whence.testkit.ExactAnswers;
import io.whence.testkit.KafkaAdoption;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaRecords;
import io.whence.testkit.KafkaTools;
import io.whence.testkit.KafkaTopics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real broker opens what we wrote, and answers the same; so it does for what it wrote itself. */
class WhenceDirectoryIT {
  private static final LogResolver RESOLVER = new LogResolver();
  private static final long BASE_MS = 1_700_000_000_000L;
  private static final Set<Cause> OF_TRIMMED =
      EnumSet.of(Cause.FIRST_SEGMENT_ONLY, Cause.MAX_BELOW_LOG_START);

  /** Topics, and the settings that they differ in. */
  private static final Map<String, Map<String, String>> TOPICS =
      Map.of(
          "ordered", Map.of("index.interval.bytes", "500"),
          "disordered", Map.of("segment.bytes", "20000", "index.interval.bytes", "0"),
          "trimmed", Map.of("segment.bytes", "10000"),
          "append-time", Map.of("message.timestamp.type", "LogAppendTime"),
          "empty", Map.of());

  private final Random random = new Random(11);
  private final DataDir dir = new DataDir();
  @TempDir private Path given;

  @Test
  void directory_stoppedOrKilled_isServedAlikeByABroker() throws Exception {
    Path clean = given.resolve("clean");
    Path killed = given.resolve("killed");
    Map<TopicPartition, LogSnapshot> logs = new LinkedHashMap<>();
    Map<TopicPartition, LogSnapshot> killedLogs = new LinkedHashMap<>();
    dir.nowMs.set(BASE_MS + 1000);
    try (EmbeddedSource source = dir.open(clean)) {
      for (var topic : TOPICS.entrySet()) {
        write(source, topic.getKey(), topic.getValue());
      }
      source.trim(new TopicPartition("trimmed", 1), 333);
      Directories.copy(clean, killed);
    }
    dumpIndexes(clean);
    // Opening changes a directory, and the broker is to see it as it was left.
    try (EmbeddedSource source = dir.open(copyOf(clean));
        EmbeddedSource afterKill = dir.open(copyOf(killed))) {
      partitions(source).forEach(p -> logs.put(p, source.snapshot(p)));
      partitions(afterKill).forEach(p -> killedLogs.put(p, afterKill.snapshot(p)));
      assertServedAlike(clean, logs);
      assertServedAlike(killed, killedLogs);
    }
  }

  private void write(EmbeddedSource source, String topic, Map<String, String> settings) {
    Map<String, String> config = new HashMap<>(DataDir.ANY_TIME);
    config.putAll(settings);
    CompressionCodec[] codecs = CompressionCodec.values();
    source.createTopic(topic, codecs.length, config);
    for (CompressionCodec codec : topic.equals("empty") ? new CompressionCodec[0] : codecs) {
      for (int i = 0; i < 200; i++) {
        AppendBatch batch = new AppendBatch(records(topic, i), codec);
        source
            .append(new TopicPartition(topic, codec.ordinal()), batch)
            .toCompletableFuture()
            .join();
      }
    }
  }

  private List<SourceRecord> records(String topic, int batch) {
    List<SourceRecord> records = new ArrayList<>();
    for (int i = 0; i < 1 + batch % 5; i++) {
      long disorderMs = topic.equals("ordered") ? 0 : random.nextInt(20_000);
      byte[] value = new byte[20 + random.nextInt(100)];
      random.nextBytes(value);
      records.add(
          new SourceRecord(BASE_MS + batch * 100L + i - disorderMs, null, value, List.of()));
    }
    return records;
  }

  private static Path copyOf(Path directory) {
    Path copy = directory.resolveSibling(directory.getFileName() + "-read");
    Directories.copy(directory, copy);
    return copy;
  }

  private static List<TopicPartition> partitions(EmbeddedSource source) {
    List<TopicPartition> partitions = new ArrayList<>();
    source
        .topics()
        .forEach(
            topic -> {
              for (int i = 0; i < topic.partitionCount(); i++) {
                partitions.add(new TopicPartition(topic.name(), i));
              }
            });
    return partitions;
  }

  private void assertServedAlike(Path logDir, Map<TopicPartition, LogSnapshot> logs) {
    try (KafkaBroker broker = KafkaAdoption.start(logDir, Map.of());
        Admin admin = broker.admin()) {
      logs.forEach((partition, log) -> assertAlike(broker, admin, partition, log));
      assertThat(broker.processLog()).doesNotContain("Corrupt", "corrupt");
    }
  }

  private void assertAlike(
      KafkaBroker broker, Admin admin, TopicPartition partition, LogSnapshot log) {
    var oracle = BrokerComparison.oracle(broker, admin, partition);
    List<Difference> differences =
        new BrokerComparison(admin, partition, READ_UNCOMMITTED, oracle)
            .compare(
                times(log),
                position -> RESOLVER.resolve(log, position, READ_UNCOMMITTED, Cancellation.NONE));
    Set<Cause> causes = EnumSet.noneOf(Cause.class);
    differences.forEach(difference -> causes.add(difference.cause()));
    boolean isTrimmed = partition.equals(new TopicPartition("trimmed", 1));
    assertThat(isTrimmed ? OF_TRIMMED : Set.<Cause>of())
        .as("%s: %s", partition, differences)
        .containsAll(causes);
  }

  private List<Long> times(LogSnapshot log) {
    List<Long> times = new ArrayList<>(List.of(0L, BASE_MS - 30_000, BASE_MS + 30_000));
    for (int i = 0; i < 25 && log.highWatermark() > 0; i++) {
      times.add(BASE_MS - 20_000 + random.nextInt(41_000));
    }
    return times;
  }

  private static void dumpIndexes(Path clean) throws IOException {
    List<Path> logs = files(clean, ".log");
    List<Path> indexes = files(clean, ".index");
    List<Path> timeIndexes = files(clean, ".timeindex");
    List<Path> written = logs.stream().filter(WhenceDirectoryIT::hasBytes).toList();
    assertThat(indexes).hasSameSizeAs(written);
    assertThat(timeIndexes).hasSameSizeAs(written);
    assertSound(KafkaTools.dumpLog(List.of("--deep-iteration"), logs.toArray(Path[]::new)));
    for (List<Path> files : List.of(indexes, timeIndexes)) {
      Path[] given = files.stream().filter(WhenceDirectoryIT::hasBytes).toArray(Path[]::new);
      assertThat(given).isNotEmpty();
      assertSound(KafkaTools.dumpLog(List.of("--verify-index-only"), given));
      assertSound(KafkaTools.dumpLog(List.of(), given));
      assertThat(KafkaTools.dumpLog(List.of("--index-sanity-check"), given).split("passed", -1))
          .hasSize(given.length + 1);
    }
  }

  private static void assertSound(String dump) {
    assertThat(dump.toLowerCase(Locale.ROOT))
        .doesNotContain("mismatch", "not found", "out of order", "corrupt", "exception");
  }

  private static boolean hasBytes(Path file) {
    return file.toFile().length() > 0;
  }

  private static List<Path> files(Path directory, String suffix) throws IOException {
    try (var files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  @Test
  void records_producedToABrokerAndAppendedHere_areFoundAlike() throws Exception {
    CompressionCodec[] codecs = CompressionCodec.values();
    try (KafkaBroker broker = KafkaBroker.start(Map.of("log.index.interval.bytes", "500"));
        Admin admin = broker.admin();
        EmbeddedSource source = dir.open(given.resolve("own"))) {
      KafkaTopics.create(admin, "t", codecs.length);
      Map<String, String> config = new HashMap<>(DataDir.ANY_TIME);
      config.put("segment.bytes", "30000");
      source.createTopic("t", codecs.length, config);
      for (CompressionCodec codec : codecs) {
        produceToBoth(broker, source, codec);
        TopicPartition partition = new TopicPartition("t", codec.ordinal());
        assertAlike(broker, admin, partition, source.snapshot(partition));
        ExactAnswers.assertExact(
            source.snapshot(partition),
            KafkaRecords.read(broker.logDir().resolve(partition.toString())),
            random);
      }
    }
  }

  private void produceToBoth(KafkaBroker broker, EmbeddedSource source, CompressionCodec codec)
      throws Exception {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "compression.type",
            codec.name().toLowerCase(Locale.ROOT),
            "linger.ms",
            "5");
    TopicPartition partition = new TopicPartition("t", codec.ordinal());
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < 200; i++) {
        List<SourceRecord> records = records("disordered", i);
        for (SourceRecord record : records) {
          producer.send(
              new ProducerRecord<>(
                  "t", codec.ordinal(), record.timestampMs(), record.key(), record.value()));
        }
        source.append(partition, new AppendBatch(records, codec)).toCompletableFuture().join();
      }
      producer.flush();
    }
  }
}
