package io.whence.bench.commit;

import io.whence.bench.Caller;
import io.whence.bench.Session;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Commits of a real broker, through its own client: one consumer, with a group of its own, for each
 * caller. Thread safety: immutable.
 *
 * @param broker the broker, which has the topic
 */
record KafkaPeer(KafkaBroker broker) implements Peer {
  private static final String TOPIC = "load";

  /** Makes the topic. */
  static KafkaPeer on(KafkaBroker broker, int partitionCount)
      throws ExecutionException, InterruptedException, TimeoutException {
    try (Admin admin = broker.admin()) {
      KafkaTopics.create(admin, TOPIC, partitionCount);
    }
    return new KafkaPeer(broker);
  }

  @Override
  public String name(Cell cell) {
    return "Kafka: commitSync, a group for each caller, no fsync";
  }

  @Override
  public Session open(Cell cell) {
    List<TopicPartition> partitions =
        IntStream.range(0, cell.partitions()).mapToObj(i -> new TopicPartition(TOPIC, i)).toList();
    List<Committer> callers = new ArrayList<>();
    KafkaSession session = new KafkaSession(broker, callers);
    for (int i = 0; i < cell.callers(); i++) {
      String group = "load-" + cell.partitions() + "-" + cell.callers() + "-" + i;
      callers.add(new Committer(consumer(group), group, partitions));
    }
    return session;
  }

  private KafkaConsumer<byte[], byte[]> consumer(String group) {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", group),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /** Consumers of one cell. Thread safety: immutable. */
  private record KafkaSession(KafkaBroker broker, List<Committer> callers) implements Session {
    @Override
    public void verify() throws Exception {
      try (Admin admin = broker.admin()) {
        for (Committer caller : callers) {
          caller.verify(admin);
        }
      }
    }

    @Override
    public void close() {
      callers.forEach(Committer::close);
    }
  }

  /** Commits ever higher offsets for the same partitions. Thread safety: single-writer. */
  private static final class Committer implements Caller {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final String group;
    private final List<TopicPartition> partitions;
    private Map<TopicPartition, OffsetAndMetadata> offsets = Map.of();
    private long offset;

    Committer(
        KafkaConsumer<byte[], byte[]> consumer, String group, List<TopicPartition> partitions) {
      this.consumer = consumer;
      this.group = group;
      this.partitions = partitions;
      consumer.assign(partitions);
    }

    @Override
    public void prepare() {
      offset++;
      Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
      partitions.forEach(partition -> next.put(partition, new OffsetAndMetadata(offset)));
      offsets = next;
    }

    @Override
    public void call() {
      consumer.commitSync(offsets, Duration.ofSeconds(30));
    }

    @Override
    public void check() {
      // It throws unless all are committed.
    }

    void verify(Admin admin) throws Exception {
      Map<TopicPartition, OffsetAndMetadata> found =
          admin
              .listConsumerGroupOffsets(
                  Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(partitions)))
              .partitionsToOffsetAndMetadata(group)
              .get(30, TimeUnit.SECONDS);
      if (!found.equals(offsets)) {
        throw new IllegalStateException("Kafka, group " + group + ": " + offsets + ", is " + found);
      }
    }

    void close() {
      consumer.close();
    }
  }
}
