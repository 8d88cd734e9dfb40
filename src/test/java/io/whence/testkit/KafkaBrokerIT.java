package io.whence.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.testkit.OracleRecord.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaBrokerIT {
  private static final TopicPartition T0 = new TopicPartition("t", 0);

  @Test
  void broker_killedStoppedAndReopened_keepsRecords(@TempDir Path given)
      throws InterruptedException, ExecutionException, TimeoutException {
    Path data = given.resolve("data");
    Path metadata = given.resolve("metadata");
    try (KafkaBroker broker = KafkaBroker.startOn(data, metadata, Map.of())) {
      createTopic(broker);
      produce(broker, List.of(100L, 50L, 200L));
      broker.kill();
      assertThat(data.resolve(".kafka_cleanshutdown")).doesNotExist();
      broker.restart();
      assertThat(offset(broker, OffsetSpec.latest())).isEqualTo(3);
      produce(broker, List.of(300L));
      broker.stop();
      assertThat(data.resolve(".kafka_cleanshutdown")).exists();
    }
    try (KafkaBroker broker = KafkaBroker.startOn(data, metadata, Map.of())) {
      assertThat(offset(broker, OffsetSpec.forTimestamp(150))).isEqualTo(2);
      assertThat(offset(broker, OffsetSpec.maxTimestamp())).isEqualTo(3);
    }
    assertThat(KafkaRecords.read(data.resolve("t-0")))
        .extracting(OracleRecord::timestampMs)
        .containsExactly(100L, 50L, 200L, 300L);
  }

  @Test
  void broker_badSetting_failsWithItsLog() {
    assertThatThrownBy(() -> KafkaBroker.start(Map.of("num.io.threads", "none")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("instead of starting")
        .hasMessageContaining("num.io.threads");
  }

  @Test
  void adoption_logWithoutMetadata_isServed(@TempDir Path directory)
      throws InterruptedException, ExecutionException, TimeoutException {
    Path logDir = Fixtures.unpack("disordered", directory);
    Fixture fixture = Fixtures.load("disordered");
    try (KafkaBroker broker = KafkaAdoption.start(logDir, Map.of());
        Admin admin = broker.admin()) {
      for (Fixture.Partition partition : fixture.partitions()) {
        TopicPartition asked =
            new TopicPartition(
                partition.topicPartition().topic(), partition.topicPartition().partition());
        var answer = admin.listOffsets(Map.of(asked, OffsetSpec.latest()));
        assertThat(answer.partitionResult(asked).get(60, SECONDS).offset())
            .isEqualTo(partition.logEndOffset());
      }
    }
  }

  @Test
  void dumpLog_segments_namesTheirRecords(@TempDir Path directory) throws IOException {
    Path partition = Fixtures.unpack("transactions", directory).resolve("tx-1");

    String dump;
    try (var entries = Files.list(partition)) {
      dump =
          KafkaTools.dumpLog(
              List.of("--deep-iteration"),
              entries.filter(file -> file.toString().endsWith(".log")).toArray(Path[]::new));
    }

    assertThat(dump).contains("endTxnMarker: COMMIT").contains("| offset: 349 ");
  }

  @Test
  void records_readByKafkasClasses_areThoseOfTheFixture(@TempDir Path directory) {
    Path logDir = Fixtures.unpack("transactions", directory);

    for (String dir : List.of("tx-0", "tx-1", "tx-2", "tx-old-0")) {
      List<OracleRecord> records = KafkaRecords.read(logDir.resolve(dir));
      assertThat(records).isEqualTo(Fixtures.records("transactions", dir));
      assertThat(records).extracting(OracleRecord::kind).contains(Kind.CONTROL);
    }
  }

  private static void createTopic(KafkaBroker broker)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (Admin admin = broker.admin()) {
      KafkaTopics.create(admin, "t", 1);
    }
  }

  private static void produce(KafkaBroker broker, List<Long> timestamps)
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrapServers());
    try (var producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (long timestamp : timestamps) {
        producer.send(new ProducerRecord<>("t", 0, timestamp, "k", "v")).get(60, SECONDS);
      }
    }
  }

  private static long offset(KafkaBroker broker, OffsetSpec spec)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (Admin admin = broker.admin()) {
      return admin.listOffsets(Map.of(T0, spec)).partitionResult(T0).get(60, SECONDS).offset();
    }
  }
}
