package io.whence.source.kafka.fetch;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.whence.model.TopicId;
import io.whence.testkit.KafkaTopics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics of a cluster, for tests. Thread safety: thread-safe. */
final class TestTopics implements AutoCloseable {
  private static final int LIMIT_SECONDS = 60;

  private final Map<String, Object> settings;
  private final Admin admin;

  TestTopics(Map<String, Object> settings) {
    this.settings = Map.copyOf(settings);
    admin = Admin.create(new HashMap<>(settings));
  }

  static TestTopics of(String bootstrapServers) {
    return new TestTopics(Map.of("bootstrap.servers", bootstrapServers));
  }

  Admin admin() {
    return admin;
  }

  /** Creates a topic of one replica and returns its id. */
  TopicId create(String name, int partitions, Map<String, String> config) {
    return create(new NewTopic(name, partitions, (short) 1).configs(config));
  }

  TopicId create(NewTopic topic) {
    return id(KafkaTopics.create(admin, topic).get(topic.name()));
  }

  private static TopicId id(Uuid id) {
    return new TopicId(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
  }

  void delete(String name) {
    get(admin.deleteTopics(List.of(name)).all());
  }

  void deleteRecords(String topic, long before) {
    TopicPartition partition = new TopicPartition(topic, 0);
    get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before))).all());
  }

  /** Lets another of the replicas of partition 0 lead. */
  void moveLeader(String topic, int leader, int follower) {
    TopicPartition partition = new TopicPartition(topic, 0);
    var order = new NewPartitionReassignment(List.of(leader, follower));
    get(admin.alterPartitionReassignments(Map.of(partition, Optional.of(order))).all());
    get(admin.electLeaders(ElectionType.PREFERRED, Set.of(partition)).partitions());
  }

  long end(String topic, int partition) {
    TopicPartition asked = new TopicPartition(topic, partition);
    return get(admin.listOffsets(Map.of(asked, OffsetSpec.latest())).partitionResult(asked))
        .offset();
  }

  KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> all = new HashMap<>(settings);
    all.putAll(more);
    return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Writes records and waits until they are there. */
  void produce(String topic, int partition, int records, int size, Map<String, Object> more) {
    List<Future<?>> sent = new ArrayList<>();
    try (var producer = producer(more)) {
      for (int i = 0; i < records; i++) {
        sent.add(producer.send(record(topic, partition, i, size)));
      }
      producer.flush();
      for (Future<?> one : sent) {
        one.get(LIMIT_SECONDS, SECONDS); // Not the last alone: one before may be lost.
      }
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  void produce(String topic, int partition, int records) {
    produce(topic, partition, records, 100, Map.of());
  }

  static ProducerRecord<byte[], byte[]> record(String topic, int partition, int number, int size) {
    byte[] value = ByteBuffer.allocate(size).putInt(number).array();
    return new ProducerRecord<>(topic, partition, 1_700_000_000_000L + number, null, value);
  }

  /** Returns the bytes of a partition's segments in the directory of its broker. */
  static byte[] bytes(Path logDir, String topic, int partition) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (var files = Files.list(logDir.resolve(topic + "-" + partition))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".log")).sorted().toList()) {
        bytes.writeBytes(Files.readAllBytes(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static <T> T get(KafkaFuture<T> future) {
    try {
      return future.get(LIMIT_SECONDS, SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
