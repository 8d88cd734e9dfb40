package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.whence.log.LogSnapshot;
import io.whence.log.StoredRecord;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ReadRange;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaSecurity;
import io.whence.testkit.KafkaTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records are read from a broker, or it is said why they can't be. */
class ClusterReaderIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path security;
  @TempDir private Path directory;
  private static KafkaSecurity users;
  private static KafkaBroker broker;
  private static Admin admin;

  @BeforeAll
  static void start() {
    users = KafkaSecurity.create(security);
    broker = KafkaBroker.start(users.brokerSettings());
    admin = Admin.create(client("admin"));
  }

  @AfterAll
  static void stop() {
    admin.close();
    broker.close();
  }

  private static Map<String, Object> client(String user) {
    return Map.copyOf(users.clientSettings(broker, user));
  }

  private static void produce(String topic, int count) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            client("admin"), new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(topic, 0, 1_000L + i, new byte[0], new byte[10]));
      }
    }
  }

  private static ReadRange from(String topic, long offset) {
    return new ReadRange(
        new TopicPartition(topic, 0), offset, 100, 1 << 20, IsolationLevel.READ_UNCOMMITTED);
  }

  private static List<StoredRecord> read(String user, ReadRange range, long endOffset) {
    return new ClusterReader("cluster", client(user), Duration.ofSeconds(20))
        .read(range, endOffset, Cancellation.NONE);
  }

  private static void assertReason(ErrorReason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void removedRecords_areOutOfRange() throws Exception {
    KafkaTopics.create(admin, "trimmed", 1);
    produce("trimmed", 10);
    assertThat(read("admin", from("trimmed", 2), 10)).hasSize(8);
    admin
        .deleteRecords(
            Map.of(
                new org.apache.kafka.common.TopicPartition("trimmed", 0),
                RecordsToDelete.beforeOffset(5)))
        .all()
        .get();

    assertReason(ErrorReason.OFFSET_OUT_OF_RANGE, () -> read("admin", from("trimmed", 2), 10));
  }

  @Test
  void wrongPassword_isNotAuthorized() {
    assertReason(ErrorReason.NOT_AUTHORIZED, () -> read("stranger", from("any", 0), 10));
  }

  @Test
  void stop_isDraining() {
    Thread.currentThread().interrupt();
    assertReason(ErrorReason.DRAINING, () -> read("admin", from("any", 0), 10));
    assertThat(Thread.interrupted()).as("whoever called sees it, too").isTrue();
  }

  @Test
  void topicCreatedAnew_isNotReadUnderTheBoundsOfTheOldOne() throws Exception {
    KafkaTopics.create(admin, "anew", 1);
    produce("anew", 10);
    TopicPartition partition = new TopicPartition("anew", 0);
    try (FollowedCluster cluster =
        FollowedCluster.open(directory, client("admin"), "anew", Duration.ofHours(1))) {
      await().atMost(LIMIT).ignoreExceptions().until(() -> end(cluster, partition) == 10);
      LogSnapshot log = cluster.source().snapshot(partition);
      assertThat(cluster.source().read(log, from("anew", 2), Cancellation.NONE)).hasSize(8);
      admin.deleteTopics(List.of("anew")).all().get();
      await().atMost(LIMIT).until(ClusterReaderIT::isCreatedAnew);
      produce("anew", 12);

      assertReason(
          ErrorReason.STALE_TOPIC,
          () -> cluster.source().read(log, from("anew", 2), Cancellation.NONE));
      admin
          .deleteRecords(
              Map.of(
                  new org.apache.kafka.common.TopicPartition("anew", 0),
                  RecordsToDelete.beforeOffset(5)))
          .all()
          .get();
      assertReason(
          ErrorReason.STALE_TOPIC,
          () -> cluster.source().read(log, from("anew", 2), Cancellation.NONE));
    }
  }

  private static boolean isCreatedAnew() {
    try {
      KafkaTopics.create(admin, "anew", 1);
      return true;
    } catch (IllegalStateException e) {
      return false; // Still being deleted.
    }
  }

  private static long end(FollowedCluster cluster, TopicPartition partition) {
    return cluster.source().snapshot(partition).highWatermark();
  }
}
