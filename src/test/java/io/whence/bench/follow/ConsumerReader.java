package io.whence.bench.follow;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/** A consumer that throws the records away. Thread safety: single-writer. */
final class ConsumerReader implements Reader {
  private final String bootstrapServers;

  ConsumerReader(String bootstrapServers) {
    this.bootstrapServers = bootstrapServers;
  }

  @Override
  public long read(BenchTopic topic) {
    long start = System.nanoTime();
    Map<String, Object> settings =
        Map.of("bootstrap.servers", bootstrapServers, "max.poll.records", 20_000);
    try (var consumer =
        new KafkaConsumer<ByteBuffer, ByteBuffer>(
            settings, new ByteBufferDeserializer(), new ByteBufferDeserializer())) {
      List<TopicPartition> partitions =
          IntStream.range(0, topic.partitions())
              .mapToObj(partition -> new TopicPartition(topic.name(), partition))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long read = 0;
      while (read < topic.records()) {
        read += consumer.poll(Duration.ofSeconds(1)).count();
      }
      return System.nanoTime() - start;
    }
  }
}
