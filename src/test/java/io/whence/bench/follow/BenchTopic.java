package io.whence.bench.follow;

import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic that is read again and again. Thread safety: immutable.
 *
 * @param codec how its producer compresses
 * @param size how many bytes the value of a record has
 * @param records how many there are, the same number in each partition
 */
record BenchTopic(String name, int partitions, String codec, int size, long records) {
  /** Creates the topic, and writes its records. */
  void fill(KafkaBroker broker) throws Exception {
    try (Admin admin = broker.admin()) {
      KafkaTopics.create(admin, name, partitions);
    }
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "compression.type",
            codec,
            "linger.ms",
            5,
            "buffer.memory",
            64L << 20);
    try (var producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < records; i++) {
        // One partition after the other, so that batches get full.
        int partition = Math.toIntExact((long) i * partitions / records);
        producer.send(new ProducerRecord<>(name, partition, null, value(i)));
      }
      producer.flush();
    }
  }

  /** Text with some likeness, as records have. */
  private byte[] value(int number) {
    byte[] value = new byte[size];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) ('a' + (i * 7 + (number >> (i & 15))) % 26);
    }
    return ByteBuffer.wrap(value).putInt(0, number).array();
  }
}
