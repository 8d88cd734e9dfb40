package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaCluster;
import io.whence.testkit.KafkaSecurity;
import io.whence.testkit.KafkaTopics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions that can't be asked where to begin, or at all, fail alone. */
class KafkaStartFaultsIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int COUNT = 10;

  @TempDir private Path directory;

  private static void produce(
      Map<String, Object> client, String topic, int partition, long firstMs) {
    Map<String, Object> settings = new HashMap<>(client);
    settings.put("max.block.ms", 60_000);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < COUNT; i++) {
        producer.send(
            new ProducerRecord<>(topic, partition, firstMs + i, new byte[0], new byte[10]));
      }
    }
  }

  private static ClusterAnswer ask(FollowedCluster cluster, TopicPartition partition, long ms) {
    return ask(cluster, List.of(partition), ms).get(0);
  }

  private static List<ClusterAnswer> ask(
      FollowedCluster cluster, List<TopicPartition> partitions, long ms) {
    return cluster
        .source()
        .askCluster(
            partitions.stream()
                .map(each -> new ClusterQuestion(each, new Position.AtOrAfter(ms)))
                .toList(),
            IsolationLevel.READ_UNCOMMITTED,
            Cancellation.NONE);
  }

  private static ErrorReason reason(ClusterAnswer answer) {
    try {
      throw new AssertionError(answer.resolution());
    } catch (WhenceException e) {
      return e.reason();
    }
  }

  private static boolean isFollowed(FollowedCluster cluster, TopicPartition partition, long end) {
    try {
      return cluster.source().snapshot(partition).highWatermark() == end;
    } catch (WhenceException e) {
      return false;
    }
  }

  private static void awaitWarning(FollowedCluster cluster, String... parts) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(cluster.source().warnings())
                    .anySatisfy(warning -> assertThat(warning).contains(parts)));
  }

  @Test
  void partitionWithoutLeader_failsAlone_andBeginsWhenItHasOne() throws Exception {
    TopicPartition away = new TopicPartition("alone", 0);
    TopicPartition there = new TopicPartition("alone", 1);
    try (KafkaCluster brokers = KafkaCluster.start(Map.of());
        Admin admin = brokers.admin()) {
      Map<String, Object> client = Map.of("bootstrap.servers", brokers.bootstrapServers());
      KafkaTopics.create(admin, new NewTopic("alone", Map.of(0, List.of(2), 1, List.of(3))));
      produce(client, "alone", 0, 1_000);
      produce(client, "alone", 1, 1_000);
      brokers.broker(2).stop();
      try (FollowedCluster cluster =
          FollowedCluster.open(directory, client, new StartPoint.Latest())) {
        await().atMost(LIMIT).until(() -> isFollowed(cluster, there, COUNT));
        assertThat(cluster.source().snapshot(there).firstOffset()).isEqualTo(COUNT);
        awaitWarning(cluster, "alone-0", "has no leader");
        List<ClusterAnswer> answers = ask(cluster, List.of(away, there), 1_005);
        assertThat(reason(answers.get(0))).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
        assertThat(answers.get(1).resolution().offset()).isEqualTo(5);

        brokers.broker(2).restart();
        await().atMost(LIMIT).until(() -> isFollowed(cluster, away, COUNT));
        assertThat(cluster.source().snapshot(away).firstOffset()).isEqualTo(COUNT);
        assertThat(cluster.source().warnings()).isEmpty();
      }
    }
  }

  @Test
  void partitionThatMayNotBeRead_failsAlone_untilItMay() throws Exception {
    KafkaSecurity security = KafkaSecurity.create(directory);
    TopicPartition open = new TopicPartition("open", 0);
    TopicPartition closed = new TopicPartition("closed", 0);
    try (KafkaBroker broker = KafkaBroker.start(security.brokerSettings());
        Admin admin = Admin.create(security.clientSettings(broker, "admin"))) {
      makeTopics(admin, security.clientSettings(broker, "admin"));
      try (FollowedCluster cluster =
          FollowedCluster.open(
              directory.resolve("followed"),
              security.clientSettings(broker, "reader"),
              new StartPoint.Latest())) {
        await().atMost(LIMIT).until(() -> isFollowed(cluster, open, COUNT));
        awaitWarning(cluster, "closed-0");
        // Until the fetch is refused, nobody has said that it may not be read.
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () -> {
                  List<ClusterAnswer> answers = ask(cluster, List.of(closed, open), 1_003);
                  assertThat(reason(answers.get(0))).isEqualTo(ErrorReason.NOT_AUTHORIZED);
                  assertThat(answers.get(1).resolution().offset()).isEqualTo(3);
                });
        assertThatThrownBy(() -> cluster.source().snapshot(closed))
            .isInstanceOfSatisfying(
                WhenceException.class,
                e -> assertThat(e.reason()).isEqualTo(ErrorReason.NOT_AUTHORIZED));

        admin.createAcls(List.of(acl("closed", AclOperation.READ))).all().get(1, TimeUnit.MINUTES);
        await().atMost(LIMIT.multipliedBy(2)).until(() -> isFollowed(cluster, closed, COUNT));
        assertThat(ask(cluster, closed, 1_003).resolution().offset()).isEqualTo(3);
        assertThat(ask(cluster, closed, 9_000).resolution().outcome()).isEqualTo(Outcome.AFTER_END);
      }
    }
  }

  @Test
  void topicThatMayNotBeSeenAnyMore_keepsItsLogs_oneThatIsGoneDoesNot() throws Exception {
    KafkaSecurity security = KafkaSecurity.create(directory);
    Path followed = directory.resolve("followed");
    try (KafkaBroker broker = KafkaBroker.start(security.brokerSettings());
        Admin admin = Admin.create(security.clientSettings(broker, "admin"))) {
      for (String topic : List.of("open", "hidden", "gone", "later")) {
        KafkaTopics.create(admin, topic, 1);
        admin.createAcls(List.of(acl(topic, AclOperation.READ))).all().get(1, TimeUnit.MINUTES);
      }
      Map<String, Object> reader = security.clientSettings(broker, "reader");
      List<Path> logs = logsAfterAStart(followed, reader, "open", "hidden", "gone", "later");
      forbid(admin, "hidden");
      admin.deleteTopics(List.of("gone")).all().get(1, TimeUnit.MINUTES);
      try (FollowedCluster cluster =
          FollowedCluster.open(followed, reader, new StartPoint.Earliest())) {
        await().atMost(LIMIT).until(() -> !Files.exists(logs.get(2)));
        forbid(admin, "open");
        admin.deleteTopics(List.of("later")).all().get(1, TimeUnit.MINUTES);
        await().atMost(LIMIT).until(() -> !Files.exists(logs.get(3)));
        await().atMost(LIMIT).until(() -> cluster.source().topics().isEmpty());
        assertThat(logs.get(0)).exists();
        assertThat(logs.get(1)).exists();
        assertThat(cluster.source().warnings())
            .singleElement()
            .asString()
            .contains("no topic is followed", "does not let this server see it");

        produce(security.clientSettings(broker, "admin"), "hidden", 0, 1_000);
        admin.createAcls(List.of(acl("hidden", AclOperation.READ))).all().get(1, TimeUnit.MINUTES);
        await()
            .atMost(LIMIT)
            .until(() -> isFollowed(cluster, new TopicPartition("hidden", 0), COUNT));
        assertThat(cluster.source().warnings()).isEmpty();
      }
    }
  }

  /** Follows topics once; returns where their logs are. */
  private static List<Path> logsAfterAStart(
      Path directory, Map<String, Object> client, String... topics) throws Exception {
    try (FollowedCluster cluster =
        FollowedCluster.open(directory, client, new StartPoint.Earliest())) {
      await()
          .atMost(LIMIT)
          .ignoreExceptions()
          .until(() -> cluster.source().topics().size() == topics.length);
      List<Path> logs = new ArrayList<>();
      for (String topic : topics) {
        logs.add(
            directory.resolve(cluster.source().topic(topic).topicId().orElseThrow().toString()));
      }
      return logs;
    }
  }

  private static void forbid(Admin admin, String topic) throws Exception {
    admin
        .deleteAcls(List.of(acl(topic, AclOperation.READ).toFilter()))
        .all()
        .get(1, TimeUnit.MINUTES);
  }

  private static void makeTopics(Admin admin, Map<String, Object> client) throws Exception {
    KafkaTopics.create(admin, "open", 1);
    KafkaTopics.create(admin, "closed", 1);
    admin
        .createAcls(List.of(acl("open", AclOperation.READ), acl("closed", AclOperation.DESCRIBE)))
        .all()
        .get(1, TimeUnit.MINUTES);
    produce(client, "open", 0, 1_000);
    produce(client, "closed", 0, 1_000);
  }

  private static AclBinding acl(String topic, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:reader", "*", operation, AclPermissionType.ALLOW));
  }
}
