package io.whence.bench.follow;

import io.whence.testkit.KafkaBroker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Reads a topic of four partitions by lanes and by a consumer, in turn, and prints the medians.
 * Thread safety: single-writer.
 */
public final class FollowBenchmark {
  static final int PARTITIONS = 4;

  private static final int ROUNDS = 5;
  private static final List<Case> CASES =
      List.of(
          new Case("plain-100", "none", 100, 4_000_000),
          new Case("lz4-100", "lz4", 100, 4_000_000),
          new Case("plain-1k", "none", 1_000, 800_000));

  private FollowBenchmark() {}

  /** A topic. */
  private record Case(String topic, String codec, int size, long records) {}

  /**
   * Runs it.
   *
   * @param args names of topics to read; none for all
   */
  public static void main(String[] args) throws Exception {
    try (KafkaBroker broker =
        KafkaBroker.start(Map.of(), List.of("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC"))) {
      for (Case one : CASES) {
        if (args.length == 0 || Arrays.asList(args).contains(one.topic())) {
          measure(broker, one);
        }
      }
    }
  }

  private static void measure(KafkaBroker broker, Case one) throws Exception {
    fill(broker, one);
    Map<String, Reader> readers = new LinkedHashMap<>();
    readers.put("consumer", new ConsumerReader(broker.bootstrapServers()));
    readers.put("lane, headers", new LaneReader(broker, false));
    readers.put("lane, records", new LaneReader(broker, true));
    Map<String, List<Double>> rates = new LinkedHashMap<>();
    for (int round = 0; round <= ROUNDS; round++) {
      for (Map.Entry<String, Reader> reader : readers.entrySet()) {
        double seconds = reader.getValue().read(one.topic(), one.records()) / 1e9;
        // The first round is the warm-up.
        if (round > 0) {
          rates
              .computeIfAbsent(reader.getKey(), k -> new ArrayList<>())
              .add(one.records() / seconds);
        }
      }
    }
    rates.forEach(
        (reader, found) -> {
          double[] sorted = found.stream().mapToDouble(Double::doubleValue).sorted().toArray();
          System.out.printf(
              "%-10s %-14s %6.2f million records/s (%.2f to %.2f)%n",
              one.topic(),
              reader,
              sorted[ROUNDS / 2] / 1e6,
              sorted[0] / 1e6,
              sorted[ROUNDS - 1] / 1e6);
        });
  }

  private static void fill(KafkaBroker broker, Case one) throws Exception {
    try (Admin admin = broker.admin()) {
      admin
          .createTopics(List.of(new NewTopic(one.topic(), PARTITIONS, (short) 1)))
          .all()
          .get(60, TimeUnit.SECONDS);
    }
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "compression.type",
            one.codec(),
            "linger.ms",
            5,
            "buffer.memory",
            64L << 20);
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < one.records(); i++) {
        producer.send(new ProducerRecord<>(one.topic(), i % PARTITIONS, null, value(one, i)));
      }
      producer.flush();
    }
  }

  /** Text with some likeness, as records have. */
  private static byte[] value(Case one, int number) {
    byte[] value = new byte[one.size()];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) ('a' + (i * 7 + (number >> (i & 15))) % 26);
    }
    return ByteBuffer.wrap(value).putInt(0, number).array();
  }
}
