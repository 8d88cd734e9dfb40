package io.whence.commit.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.commit.Group;
import io.whence.commit.GroupsRead;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.KafkaCluster;
import io.whence.testkit.KafkaCoordinators;
import io.whence.testkit.KafkaTopics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A broker that alone keeps the offsets of groups is away: they are not taken for gone. */
class LostCoordinatorIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int GROUPS = 12;

  @Test
  void groupsOfABrokerThatIsAway_areMissedByName_andToldAgainAfterwards() throws Exception {
    Map<String, String> spread =
        Map.of("offsets.topic.num.partitions", "6", "offsets.topic.replication.factor", "1");
    ExecutorService worker = Executors.newSingleThreadExecutor();
    try (KafkaCluster cluster = KafkaCluster.start(spread);
        Admin admin = cluster.admin();
        KafkaGroupOffsets offsets = open(cluster, worker)) {
      KafkaCoordinators.await(admin);
      KafkaTopics.create(admin, "orders", 1);
      Set<String> all = new TreeSet<>();
      for (int i = 0; i < GROUPS; i++) {
        commit(admin, "group-" + i);
        all.add("group-" + i);
      }
      assertThat(names(offsets)).isEqualTo(all);
      cluster.broker(2).stop();

      await().atMost(LIMIT).until(() -> isMissed(offsets));
      GroupsRead some = offsets.groups(name -> true);
      assertThat(some.failures())
          .anySatisfy(
              failure -> assertThat(failure).hasMessageContaining("__consumer_offsets have no"));
      assertThat(some.groups().size()).isLessThan(GROUPS);

      cluster.broker(2).restart();
      await()
          .atMost(LIMIT)
          .ignoreExceptionsMatching(WhenceException.class::isInstance)
          .until(() -> names(offsets).equals(all));
    } finally {
      worker.shutdownNow();
    }
  }

  private static KafkaGroupOffsets open(KafkaCluster cluster, ExecutorService worker) {
    return KafkaGroupOffsets.open(
        new KafkaGroupOptions(
            "prod",
            Map.of("bootstrap.servers", cluster.bootstrapServers()),
            Duration.ofSeconds(20),
            InstantSource.system(),
            worker,
            KafkaGroupOptions.usualTransactionPrefix("prod"),
            new KafkaGroupOptions.RequestMemory(Duration.ofMinutes(10), 100)));
  }

  private static void commit(Admin admin, String group) {
    Map<TopicPartition, OffsetAndMetadata> offsets =
        Map.of(new TopicPartition("orders", 0), new OffsetAndMetadata(0));
    await()
        .atMost(LIMIT)
        .ignoreExceptionsMatching(ExecutionException.class::isInstance)
        .until(
            () -> {
              admin.alterConsumerGroupOffsets(group, offsets).all().get();
              return true;
            });
  }

  private static Set<String> names(KafkaGroupOffsets offsets) {
    return offsets.groups().stream()
        .map(Group::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whatever it says meanwhile, it never says that there are fewer groups. */
  private static boolean isMissed(KafkaGroupOffsets offsets) {
    try {
      assertThat(names(offsets)).hasSize(GROUPS);
      return false;
    } catch (WhenceException e) {
      assertThat(e.reason()).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
      return e.getMessage().contains("__consumer_offsets have no leader");
    }
  }
}
