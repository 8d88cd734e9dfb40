package io.whence.bench.restarts;

import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A real broker with a topic whose records have times that are known: record {@code i} of partition
 * {@code p} was made at {@code start + p + i * step} ms. Says where it is, and lives until standard
 * input ends. Thread safety: immutable.
 */
public final class RestartsCluster {
  private static final List<String> BROKER_OPTIONS =
      List.of("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC");
  private static final int LIMIT_SECONDS = 60;
  private static final int DELIVERY_MS = 600_000;

  private final String topic;
  private final int partitions;
  private final int records;
  private final long startMs;
  private final long stepMs;

  private RestartsCluster(String topic, int partitions, int records, long startMs, long stepMs) {
    this.topic = topic;
    this.partitions = partitions;
    this.records = records;
    this.startMs = startMs;
    this.stepMs = stepMs;
  }

  /**
   * Runs it.
   *
   * @param args the topic, how many partitions it has, how many records each of them, start, step
   */
  public static void main(String[] args) throws Exception {
    RestartsCluster cluster =
        new RestartsCluster(
            args[0],
            Integer.parseInt(args[1]),
            Integer.parseInt(args[2]),
            Long.parseLong(args[3]),
            Long.parseLong(args[4]));
    try (KafkaBroker broker = KafkaBroker.start(Map.of(), BROKER_OPTIONS)) {
      cluster.fill(broker);
      System.out.println("bootstrap=" + broker.bootstrapServers());
      awaitEnd(System.in);
    }
  }

  private void fill(KafkaBroker broker) throws Exception {
    try (Admin admin = broker.admin()) {
      KafkaTopics.create(admin, topic, partitions);
    }
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "linger.ms",
            5,
            "delivery.timeout.ms",
            DELIVERY_MS);
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int partition = 0; partition < partitions; partition++) {
        for (int i = 0; i < records; i++) {
          long timestamp = startMs + partition + i * stepMs;
          sent.add(
              producer.send(new ProducerRecord<>(topic, partition, timestamp, null, new byte[16])));
        }
      }
      producer.flush();
      for (int i = 0; i < sent.size(); i++) {
        requireOffset(i % records, sent.get(i).get());
      }
    }
  }

  /** On a busy machine a producer may give up on some records, and all else is then elsewhere. */
  private static void requireOffset(long wanted, RecordMetadata written) {
    if (written.offset() != wanted) {
      throw new IllegalStateException(written + " instead of offset " + wanted);
    }
  }

  private static void awaitEnd(InputStream input) throws IOException {
    while (input.read() >= 0) {
      // Nothing is said to it; only the end counts.
    }
  }
}
