package io.whence.commit.kafka;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.CommittedOffset;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaCoordinators;
import io.whence.testkit.KafkaTopics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A broker with a topic of three partitions of ten records, and what tests do with its groups. */
final class GroupCluster implements AutoCloseable {
  static final int PARTITIONS = 3;
  static final int RECORDS = 10;
  static final Duration TIME_OUT = Duration.ofSeconds(10);

  final KafkaBroker broker;
  final Admin admin;
  private final ExecutorService workers = Executors.newFixedThreadPool(6);
  private final List<AutoCloseable> opened = new ArrayList<>();

  private GroupCluster(KafkaBroker broker) {
    this.broker = broker;
    admin = broker.admin();
  }

  static GroupCluster start(Map<String, String> overrides) {
    GroupCluster cluster = new GroupCluster(KafkaBroker.start(overrides));
    cluster.enableWhatClustersHave();
    KafkaCoordinators.await(cluster.admin);
    cluster.createTopic(Writes.TOPIC);
    return cluster;
  }

  /** The new protocol of groups and that of transactions, which formatting turns on elsewhere. */
  private void enableWhatClustersHave() {
    await(
        admin
            .updateFeatures(
                Map.of(
                    "group.version", new FeatureUpdate((short) 1, UpgradeType.UPGRADE),
                    "transaction.version", new FeatureUpdate((short) 2, UpgradeType.UPGRADE)),
                new UpdateFeaturesOptions())
            .all()
            .toCompletionStage());
  }

  void createTopic(String topic) {
    KafkaTopics.create(admin, topic, PARTITIONS);
    try (var producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < PARTITIONS * RECORDS; i++) {
        producer.send(new ProducerRecord<>(topic, i % PARTITIONS, "k", "record " + i));
      }
      producer.flush();
    }
  }

  /** Opens group offsets with transactions, as one of several servers would. */
  KafkaGroupOffsets open() {
    return open(TIME_OUT, KafkaGroupOptions.usualTransactionPrefix("cluster"));
  }

  KafkaGroupOffsets open(Duration timeOut, String transactionPrefix) {
    return open(timeOut, transactionPrefix, Map.of());
  }

  KafkaGroupOffsets open(
      Duration timeOut, String transactionPrefix, Map<String, Object> moreSettings) {
    return open(timeOut, transactionPrefix, moreSettings, InstantSource.system());
  }

  KafkaGroupOffsets open(
      Duration timeOut,
      String transactionPrefix,
      Map<String, Object> moreSettings,
      InstantSource clock) {
    Map<String, Object> settings = new HashMap<>(moreSettings);
    settings.put("bootstrap.servers", broker.bootstrapServers());
    KafkaGroupOffsets offsets =
        KafkaGroupOffsets.open(
            new KafkaGroupOptions(
                "cluster",
                settings,
                timeOut,
                clock,
                workers,
                transactionPrefix,
                new KafkaGroupOptions.RequestMemory(Duration.ofMinutes(10), 100)));
    opened.add(offsets);
    return offsets;
  }

  KafkaConsumer<byte[], byte[]> consumer(String group, Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker.bootstrapServers());
    settings.put("group.id", group);
    settings.put("client.id", "reader-of-" + group);
    settings.put("enable.auto.commit", false);
    settings.put("auto.offset.reset", "earliest");
    settings.putAll(more);
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  static List<CommitResult> commit(KafkaGroupOffsets offsets, CommitRequest request) {
    var reply = offsets.commit(request, Cancellation.NONE);
    await(reply.durable());
    return reply.results();
  }

  static long committed(KafkaGroupOffsets offsets, String group, int partition) {
    return offsets
        .group(group)
        .flatMap(g -> g.offset(new TopicPartition(Writes.TOPIC, partition)))
        .map(CommittedOffset::nextOffset)
        .orElse(-1L);
  }

  /** Waits; throws what a client would be told. */
  static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(60, SECONDS);
    } catch (ExecutionException e) {
      if (ClusterFailures.causeOf(e) instanceof WhenceException told) {
        throw told;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    opened.forEach(
        one -> {
          try {
            one.close();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    admin.close(Duration.ofSeconds(5));
    workers.shutdownNow();
    broker.close();
  }
}
