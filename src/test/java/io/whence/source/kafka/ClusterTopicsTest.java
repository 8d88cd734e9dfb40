package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.log.DirectoryLock;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.model.TopicId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTopicsTest {
  private static final TopicId ORDERS = new TopicId(new UUID(1, 2));
  private static final TopicId OTHER = new TopicId(new UUID(3, 4));

  @TempDir private Path directory;
  private boolean opens = true;

  private ClusterTopics topics() {
    LogEnvironment environment =
        new LogEnvironment(
            InstantSource.system(), Runnable::run, deletion -> {}, 1 << 20, LogEvents.NOOP);
    return new ClusterTopics(
        directory,
        environment,
        (id, log) -> {
          if (!opens
              && log.partition().topic().equals("orders")
              && log.partition().partition() == 1) {
            throw new IllegalStateException("no room");
          }
          return new FollowedPartition(
              "cluster", id, log, new BoundsQuestion(null, null), Duration.ofSeconds(1));
        },
        new Lanes(List.of(FollowedCluster.idleLane())));
  }

  @Test
  void topicThatCantBeOpened_leavesOthers_andIsOpenedLater() throws IOException {
    opens = false;
    ClusterTopics topics = topics();
    Map<String, ClusterAdmin.Topic> cluster =
        Map.of(
            "orders", new ClusterAdmin.Topic(ORDERS, 3), "other", new ClusterAdmin.Topic(OTHER, 1));

    topics.update(cluster, () -> false);
    assertThat(topics.all()).containsOnlyKeys("other");
    assertThat(topics.failures().get("orders"))
        .hasMessageContainingAll("open its logs", "orders", "no room");

    opens = true;
    topics.update(cluster, () -> false);
    assertThat(topics.failures()).isEmpty();
    assertThat(topics.all().get("orders").count()).isEqualTo(3);
    topics.close(Thread::new);
  }

  @Test
  void topicThatIsMissingTwice_isGone() throws IOException {
    ClusterTopics topics = topics();
    topics.update(Map.of("orders", new ClusterAdmin.Topic(ORDERS, 1)), () -> false);

    topics.update(Map.of(), () -> false);
    assertThat(topics.all()).containsOnlyKeys("orders");
    topics.update(Map.of(), () -> false);

    assertThat(topics.all()).isEmpty();
    assertThat(directory.resolve(ORDERS.toString()))
        .as("it may be there, but not to be seen")
        .exists();

    topics.update(Map.of("orders", new ClusterAdmin.Topic(ORDERS, 1)), () -> false);
    assertThat(topics.failures()).isEmpty();
    topics.update(Map.of("orders", new ClusterAdmin.Topic(OTHER, 1)), () -> false);
    assertThat(directory.resolve(ORDERS.toString())).doesNotExist();
    assertThat(directory.resolve(OTHER.toString())).exists();
    topics.close(Thread::new);
  }

  @Test
  void anotherTopicOfTheName_takesThePlaceBeforeTheOldOneEnds() throws IOException {
    ClusterTopics topics = topics();
    topics.update(Map.of("orders", new ClusterAdmin.Topic(ORDERS, 3)), () -> false);
    List<Optional<TopicId>> whenToldToLook = new ArrayList<>();
    topics
        .partitions()
        .forEach(
            each ->
                each.log()
                    .watch(
                        Long.MAX_VALUE,
                        () -> whenToldToLook.add(topics.find("orders").map(FollowedTopic::id))));

    topics.update(Map.of("orders", new ClusterAdmin.Topic(OTHER, 2)), () -> false);

    assertThat(topics.failures()).isEmpty();
    assertThat(topics.all().get("orders").count()).isEqualTo(2);
    assertThat(whenToldToLook).hasSize(3).containsOnly(Optional.of(OTHER));
    assertThat(directory.resolve(ORDERS.toString())).doesNotExist();
    topics.close(Thread::new);
  }

  @Test
  void anotherTopicOfTheName_thatCantBeOpened_leavesNone() throws IOException {
    ClusterTopics topics = topics();
    topics.update(Map.of("orders", new ClusterAdmin.Topic(ORDERS, 2)), () -> false);
    opens = false;

    topics.update(Map.of("orders", new ClusterAdmin.Topic(OTHER, 2)), () -> false);
    assertThat(topics.all()).isEmpty();
    assertThat(topics.failures().get("orders")).hasMessageContaining("no room");
    assertThat(directory.resolve(ORDERS.toString())).doesNotExist();

    opens = true;
    topics.update(Map.of("orders", new ClusterAdmin.Topic(OTHER, 2)), () -> false);
    assertThat(topics.all().get("orders").id()).isEqualTo(OTHER);
    topics.close(Thread::new);
  }

  @Test
  void whatCameLater_wasNotThereAtFirst() throws IOException {
    ClusterTopics topics = topics();
    topics.update(Map.of("orders", new ClusterAdmin.Topic(ORDERS, 2)), () -> false);
    topics.update(
        Map.of(
            "orders", new ClusterAdmin.Topic(ORDERS, 3), "other", new ClusterAdmin.Topic(OTHER, 1)),
        () -> false);

    assertThat(topics.wasThereAtFirst(ORDERS, 1)).isTrue();
    assertThat(topics.wasThereAtFirst(ORDERS, 2)).isFalse();
    assertThat(topics.wasThereAtFirst(OTHER, 0)).isFalse();
    topics.close(Thread::new);
  }

  @Test
  void directory_isOfOneProcess() throws IOException {
    try (DirectoryLock taken = DirectoryLock.take(directory)) {
      assertThatThrownBy(() -> FollowedCluster.open(directory, "127.0.0.1:1"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(".lock");
      assertThat(taken).isNotNull();
    }
    FollowedCluster.open(directory, "127.0.0.1:1").close();
  }
}
