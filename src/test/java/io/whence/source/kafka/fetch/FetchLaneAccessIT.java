package io.whence.source.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.testkit.KafkaAcls;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaSecurity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that wants TLS and passwords, and does not let everybody read everything. */
class FetchLaneAccessIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path directory;
  private static KafkaSecurity security;
  private static KafkaBroker broker;
  private static TestTopics topics;

  @BeforeAll
  static void start() {
    security = KafkaSecurity.create(directory);
    broker = KafkaBroker.start(security.brokerSettings());
    topics = new TestTopics(security.clientSettings(broker, "admin"));
  }

  @AfterAll
  static void stop() {
    topics.close();
    broker.close();
  }

  @Test
  void permissionMissing_isRetriedAndOthersFlow() throws Exception {
    TopicId open = topics.create("open", 1, Map.of());
    TopicId closed = topics.create("closed", 1, Map.of());
    TopicId hidden = topics.create("hidden", 1, Map.of());
    allow("open", AclOperation.READ);
    allow("closed", AclOperation.DESCRIBE);
    topics.produce("open", 0, 10);
    topics.produce("closed", 0, 10);
    topics.produce("hidden", 0, 10);
    try (TestLane lane =
        TestLane.start(security.clientSettings(broker, "reader"), TestLane.QUICK)) {
      RecordingFeed reads = lane.follow("open", 0, open);
      RecordingFeed describes = lane.follow("closed", 0, closed);
      RecordingFeed nothing = lane.follow("hidden", 0, hidden);

      await().atMost(LIMIT).until(() -> reads.nextOffset() == 10);
      await().atMost(LIMIT).until(() -> reasons(describes).contains(ErrorReason.NOT_AUTHORIZED));
      await().atMost(LIMIT).until(() -> reasons(nothing).contains(ErrorReason.NOT_AUTHORIZED));
      allow("closed", AclOperation.READ);
      allow("hidden", AclOperation.READ);
      await().atMost(LIMIT).until(() -> describes.nextOffset() == 10);
      await().atMost(LIMIT).until(() -> nothing.nextOffset() == 10);
      assertThat(reads.faults()).isEmpty();
      assertThat(describes.faults()).hasSize(1);
    }
  }

  private static void allow(String topic, AclOperation operation) throws Exception {
    var acl =
        new AclBinding(
            new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
            new AccessControlEntry("User:reader", "*", operation, AclPermissionType.ALLOW));
    KafkaAcls.create(topics.admin(), List.of(acl));
  }

  @Test
  void wrongPassword_isToldAndNotTriedWithoutPause() {
    TopicId id = topics.create("secret", 1, Map.of());
    FetchLimits quick = TestLane.QUICK;
    FetchLimits patient =
        new FetchLimits(
            quick.maxBytes(),
            quick.partitionMaxBytes(),
            quick.largestBytes(),
            quick.maxWait(),
            quick.pause(),
            quick.timeout(),
            FetchBackoff.DEFAULT);
    try (TestLane lane = TestLane.start(security.clientSettings(broker, "stranger"), patient)) {
      RecordingFeed feed = lane.follow("secret", 0, id);

      await().atMost(LIMIT).until(() -> reasons(feed).contains(ErrorReason.NOT_AUTHORIZED));
      assertThat(feed.faults().get(0).message()).contains("refuses").doesNotContain("wrong-secret");
      int before = lane.events.requests();
      await()
          .during(Duration.ofSeconds(3))
          .atMost(LIMIT)
          .until(() -> lane.events.requests() - before < 5);
      assertThat(lane.events.laneFailures).isEmpty();
    }
  }

  private static List<ErrorReason> reasons(RecordingFeed feed) {
    return feed.faults().stream().map(FetchFault::reason).toList();
  }
}
