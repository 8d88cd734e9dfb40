package io.whence.source.kafka;

import static org.awaitility.Awaitility.await;

import io.whence.model.TopicPartition;
import io.whence.testkit.KafkaCluster;
import io.whence.testkit.KafkaTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Two brokers that have all topics twice, and all that can happen to them. Segments that they
 * delete stay on disk for the oracle. Thread safety: single-writer; topics and ends may be asked
 * for by any thread.
 */
final class TroubledCluster implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Map<String, String> SETTINGS =
      Map.of(
          "log.roll.ms", "30000",
          "log.index.interval.bytes", "512",
          "log.segment.delete.delay.ms", "36000000",
          "log.retention.check.interval.ms", "700",
          "log.initial.task.delay.ms", "500",
          "broker.session.timeout.ms", "3000",
          "broker.heartbeat.interval.ms", "500",
          "offsets.topic.replication.factor", "2",
          "transaction.state.log.replication.factor", "2");

  private final KafkaCluster cluster;
  private final Admin admin;
  private final Map<String, Integer> topics = new ConcurrentSkipListMap<>();

  private TroubledCluster(KafkaCluster cluster) {
    this.cluster = cluster;
    this.admin = cluster.admin();
  }

  static TroubledCluster start() {
    return new TroubledCluster(KafkaCluster.start(SETTINGS));
  }

  String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  /** Returns the topics, with how many partitions each has. */
  Map<String, Integer> topics() {
    return topics;
  }

  void create(String topic, int partitions, Map<String, String> config) {
    NewTopic created = new NewTopic(topic, partitions, (short) 2).configs(config);
    // One that was just deleted may be there for some time.
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              try {
                KafkaTopics.create(admin, created);
                return true;
              } catch (IllegalStateException e) {
                return false;
              }
            });
    topics.put(topic, partitions);
  }

  /** Makes a topic that each broker has one partition of, and no other; it isn't written to. */
  void createUnreplicated(String topic) {
    KafkaTopics.create(admin, new NewTopic(topic, Map.of(0, List.of(2), 1, List.of(3))));
  }

  void delete(String topic) {
    topics.remove(topic);
    get(admin.deleteTopics(List.of(topic)).all());
  }

  void grow(String topic, int partitions) {
    get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions))).all());
    topics.put(topic, partitions);
  }

  void trim(TopicPartition partition, long beforeOffset) {
    get(
        admin
            .deleteRecords(Map.of(kafkas(partition), RecordsToDelete.beforeOffset(beforeOffset)))
            .all());
  }

  /** Makes another replica of each partition the one that should lead, and then lead. */
  void swapLeaders(String topic) {
    Map<org.apache.kafka.common.TopicPartition, Optional<NewPartitionReassignment>> swapped =
        new HashMap<>();
    for (TopicPartitionInfo partition : describe(List.of(topic)).get(topic).partitions()) {
      List<Integer> replicas =
          List.of(partition.replicas().get(1).id(), partition.replicas().get(0).id());
      swapped.put(
          new org.apache.kafka.common.TopicPartition(topic, partition.partition()),
          Optional.of(new NewPartitionReassignment(replicas)));
    }
    get(admin.alterPartitionReassignments(swapped).all());
    electPreferred();
  }

  /** Lets those lead who should, as far as others do. */
  void electPreferred() {
    Set<org.apache.kafka.common.TopicPartition> others = new HashSet<>();
    describe(topics.keySet())
        .forEach(
            (topic, description) ->
                description.partitions().stream()
                    .filter(p -> p.leader() != null && !p.leader().equals(p.replicas().get(0)))
                    .map(p -> new org.apache.kafka.common.TopicPartition(topic, p.partition()))
                    .forEach(others::add));
    if (!others.isEmpty()) {
      // Who can't lead now stays as it is.
      get(admin.electLeaders(ElectionType.PREFERRED, others).partitions());
    }
  }

  /** Lets replicas lead that don't have all records. */
  void electUnclean(String topic) {
    Set<org.apache.kafka.common.TopicPartition> partitions =
        describe(List.of(topic)).get(topic).partitions().stream()
            .map(p -> new org.apache.kafka.common.TopicPartition(topic, p.partition()))
            .collect(Collectors.toSet());
    // Until the controller has noticed that the leader is gone, none is needed.
    await()
        .atMost(LIMIT)
        .until(
            () ->
                get(admin.electLeaders(ElectionType.UNCLEAN, partitions).partitions())
                    .values()
                    .stream()
                    .allMatch(Optional::isEmpty));
  }

  /** Stops a broker in order and starts it again; ends when it has all that the other has. */
  void restart(int broker) {
    stop(broker);
    cluster.broker(broker).restart();
    awaitInSync();
  }

  void stop(int broker) {
    cluster.broker(broker).stop();
  }

  void kill(int broker) {
    cluster.broker(broker).kill();
  }

  void startAgain(int broker) {
    cluster.broker(broker).restart();
  }

  /** Waits until both brokers have everything. */
  void awaitInSync() {
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(IllegalStateException.class)
        .until(
            () ->
                describe(get(admin.listTopics(new ListTopicsOptions().listInternal(true)).names()))
                    .values()
                    .stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .allMatch(p -> p.leader() != null && p.isr().size() == p.replicas().size()));
  }

  /** Writes records that only their leader has to have. */
  void write(TopicPartition partition, int count, long fromMs) {
    Map<String, Object> config =
        Map.of("bootstrap.servers", bootstrapServers(), "acks", "1", "enable.idempotence", "false");
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < count; i++) {
        byte[] value = new byte[20];
        producer.send(
            new ProducerRecord<>(
                partition.topic(), partition.partition(), fromMs + 10L * i, null, value));
      }
    }
  }

  private Map<String, TopicDescription> describe(Collection<String> names) {
    return get(admin.describeTopics(names).allTopicNames());
  }

  /** Returns what may be read of a partition; fails soon if its leader is away. */
  long offset(TopicPartition partition, OffsetSpec which, IsolationLevel isolation) {
    return offset(partition, which, new ListOffsetsOptions(isolation).timeoutMs(2_000));
  }

  /** Like {@link #offset}, but waits for a leader. */
  long ledOffset(TopicPartition partition, OffsetSpec which) {
    return offset(partition, which, new ListOffsetsOptions().timeoutMs(60_000));
  }

  private long offset(TopicPartition partition, OffsetSpec which, ListOffsetsOptions options) {
    return get(admin
            .listOffsets(Map.of(kafkas(partition), which), options)
            .partitionResult(kafkas(partition)))
        .offset();
  }

  /** Returns the broker that leads a partition. */
  int leader(TopicPartition partition) {
    return describe(List.of(partition.topic()))
        .get(partition.topic())
        .partitions()
        .get(partition.partition())
        .leader()
        .id();
  }

  /** Returns where a broker has a partition. */
  Path directory(int broker, TopicPartition partition) {
    return cluster.broker(broker).logDir().resolve(partition.toString());
  }

  private static org.apache.kafka.common.TopicPartition kafkas(TopicPartition partition) {
    return new org.apache.kafka.common.TopicPartition(partition.topic(), partition.partition());
  }

  private static <T> T get(KafkaFuture<T> answer) {
    try {
      return answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking the cluster", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the cluster did not do it: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    admin.close();
    cluster.close();
  }
}
