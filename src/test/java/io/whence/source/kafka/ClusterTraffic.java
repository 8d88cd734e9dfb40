package io.whence.source.kafka;

import io.whence.model.TopicPartition;
import io.whence.testkit.KafkaBroker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Producers of all kinds that write to the partitions of some topics: plain and transactional ones,
 * committed and aborted, compressed in all ways, with timestamps that go back and forth. Thread
 * safety: single-writer.
 */
final class ClusterTraffic implements AutoCloseable {
  private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
  private static final long BASE_MS = 1_700_000_000_000L;
  private static final int MAX_BURST = 60;
  private static final int MAX_VALUE_BYTES = 200;

  private final Random random;
  private final Map<String, Integer> topics;
  private final ObjLongConsumer<TopicPartition> acknowledged;
  private final KafkaProducer<byte[], byte[]> plain;
  private final List<KafkaProducer<byte[], byte[]>> transactional = new ArrayList<>();
  private long nowMs = BASE_MS;

  /**
   * Makes producers.
   *
   * @param topics how many partitions each topic has
   */
  ClusterTraffic(KafkaBroker broker, Map<String, Integer> topics, Random random) {
    this(broker.bootstrapServers(), topics, random, (partition, offset) -> {});
  }

  /**
   * Makes producers that tell what was acknowledged to them.
   *
   * @param topics how many partitions each topic has; may grow
   * @param acknowledged is told partition and offset, by any thread
   */
  ClusterTraffic(
      String bootstrapServers,
      Map<String, Integer> topics,
      Random random,
      ObjLongConsumer<TopicPartition> acknowledged) {
    this.random = random;
    this.topics = topics;
    this.acknowledged = acknowledged;
    this.plain = producer(bootstrapServers, Map.of());
    for (int i = 0; i < 2; i++) {
      KafkaProducer<byte[], byte[]> producer =
          producer(
              bootstrapServers,
              Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "t-" + UUID.randomUUID()));
      producer.initTransactions();
      transactional.add(producer);
    }
  }

  private KafkaProducer<byte[], byte[]> producer(
      String bootstrapServers, Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>(more);
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, CODECS.get(random.nextInt(CODECS.size())));
    config.put(ProducerConfig.LINGER_MS_CONFIG, 2);
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Writes some records, and ends what it began. */
  void burst() {
    send(plain);
    for (KafkaProducer<byte[], byte[]> producer : transactional) {
      producer.beginTransaction();
      send(producer);
      producer.flush();
      if (random.nextInt(3) == 0) {
        producer.abortTransaction();
      } else {
        producer.commitTransaction();
      }
    }
    plain.flush();
  }

  /** Begins a transaction and leaves it open; {@link #burst} must not be called before it ends. */
  Runnable open() {
    KafkaProducer<byte[], byte[]> producer = transactional.get(0);
    producer.beginTransaction();
    send(producer);
    producer.flush();
    return producer::commitTransaction;
  }

  private void send(KafkaProducer<byte[], byte[]> producer) {
    int count = 1 + random.nextInt(MAX_BURST);
    List<String> names = topics.keySet().stream().sorted().toList();
    for (int i = 0; i < count; i++) {
      String topic = names.get(random.nextInt(names.size()));
      int partition = random.nextInt(topics.get(topic));
      nowMs += random.nextInt(20);
      long ms = random.nextInt(4) == 0 ? nowMs - random.nextInt(5_000) : nowMs;
      byte[] value = new byte[random.nextInt(MAX_VALUE_BYTES)];
      random.nextBytes(value);
      producer.send(
          new ProducerRecord<>(topic, partition, ms, new byte[] {(byte) i}, value),
          (written, failure) -> {
            if (failure == null) {
              acknowledged.accept(new TopicPartition(topic, partition), written.offset());
            }
          });
    }
  }

  @Override
  public void close() {
    plain.close();
    transactional.forEach(KafkaProducer::close);
  }
}
