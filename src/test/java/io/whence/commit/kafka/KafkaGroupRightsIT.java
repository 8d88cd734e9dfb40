package io.whence.commit.kafka;

import static io.whence.commit.kafka.GroupCluster.await;
import static io.whence.commit.kafka.GroupCluster.commit;
import static io.whence.commit.kafka.GroupCluster.committed;
import static io.whence.commit.kafka.Writes.anywhere;
import static io.whence.commit.kafka.Writes.inTopic;
import static io.whence.commit.kafka.Writes.request;
import static io.whence.commit.kafka.Writes.swap;
import static io.whence.commit.kafka.Writes.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitResult;
import io.whence.commit.Expected;
import io.whence.commit.Group;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.KafkaAcls;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cluster that lets this server do less than all. */
class KafkaGroupRightsIT {
  private static final String CLOSED_TOPIC = "closed";
  private static final String CLOSED_GROUP = "secret";
  private static final String CLOSED_PREFIX = "forbidden-";

  private static GroupCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        GroupCluster.start(
            Map.of(
                "authorizer.class.name",
                "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found",
                "true"));
    cluster.createTopic(CLOSED_TOPIC);
    KafkaAcls.create(
        cluster.admin,
        List.of(
            denied(ResourceType.TOPIC, CLOSED_TOPIC, PatternType.LITERAL, AclOperation.READ),
            allowed(ResourceType.TOPIC, CLOSED_TOPIC, AclOperation.DESCRIBE),
            denied(
                ResourceType.TOPIC, OffsetsHistory.TOPIC, PatternType.LITERAL, AclOperation.READ),
            denied(ResourceType.GROUP, CLOSED_GROUP, PatternType.LITERAL, AclOperation.ALL),
            denied(
                ResourceType.TRANSACTIONAL_ID,
                CLOSED_PREFIX,
                PatternType.PREFIXED,
                AclOperation.ALL)));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void noTransactions_commitsByReadingAndWritingAndSaysSo() {
    KafkaGroupOffsets offsets = cluster.open(GroupCluster.TIME_OUT, CLOSED_PREFIX);
    assertThat(offsets.warnings()).isEmpty();

    assertThat(commit(offsets, request("plain", write(0, 5))).get(0).outcome())
        .isEqualTo(CommitOutcome.COMMITTED);
    CommitResult refused =
        commit(offsets, request("plain", swap(0, new Expected.Offset(4), 6))).get(0);

    assertThat(refused.failure().orElseThrow().reason()).isEqualTo(ErrorReason.CONFLICT);
    assertThat(committed(offsets, "plain", 0)).isEqualTo(5);
    assertThat(offsets.warnings())
        .singleElement()
        .asString()
        .contains("cluster", CLOSED_PREFIX, "transactional");
  }

  @Test
  void transactionsNotWanted_guardsHoldWithoutWarning() {
    KafkaGroupOffsets offsets = cluster.open(GroupCluster.TIME_OUT, "");
    commit(offsets, request("unwanted", write(0, 5)));
    CommitResult refused = commit(offsets, request("unwanted", write(0, 4))).get(0);
    assertThat(refused.failure().orElseThrow().reason()).isEqualTo(ErrorReason.REGRESSION);
    assertThat(offsets.warnings()).isEmpty();
  }

  @Test
  void closedTopic_isRefusedAlone() {
    KafkaGroupOffsets offsets = cluster.open();
    for (boolean guarded : List.of(true, false)) {
      var mine = guarded ? write(0, 5) : anywhere(0, 5);
      List<CommitResult> results =
          commit(offsets, request("topics-" + guarded, mine, inTopic(mine, CLOSED_TOPIC, null)));
      assertThat(results.get(0).error()).isNull();
      WhenceException refusal = results.get(1).failure().orElseThrow();
      assertThat(refusal.reason()).isEqualTo(ErrorReason.NOT_AUTHORIZED);
      assertThat(refusal.metadata()).containsEntry("topic", CLOSED_TOPIC);
    }
  }

  @Test
  void closedOffsetsTopic_refusesHistoryAlone() {
    KafkaGroupOffsets offsets = cluster.open();
    commit(offsets, request("known", write(0, 5)));
    assertThat(committed(offsets, "known", 0)).isEqualTo(5);
    assertThatThrownBy(() -> offsets.histories("known", 5, Cancellation.NONE))
        .isInstanceOfSatisfying(
            WhenceException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(ErrorReason.NOT_AUTHORIZED))
        .hasMessageContainingAll("known", OffsetsHistory.TOPIC, "READ");
  }

  @Test
  void closedGroup_isRefusedAndNotListed() {
    KafkaGroupOffsets offsets = cluster.open();
    commit(offsets, request("open", write(0, 5)));
    for (ThrowingCallable work :
        List.<ThrowingCallable>of(
            () -> commit(offsets, request(CLOSED_GROUP, write(0, 5))),
            () -> commit(offsets, request(CLOSED_GROUP, anywhere(0, 5))),
            () -> offsets.group(CLOSED_GROUP),
            () -> await(offsets.deleteGroup(CLOSED_GROUP, Cancellation.NONE)))) {
      assertThatThrownBy(work)
          .isInstanceOfSatisfying(
              WhenceException.class,
              e -> {
                assertThat(e.reason()).as(e.getMessage()).isEqualTo(ErrorReason.NOT_AUTHORIZED);
                assertThat(e.metadata()).containsEntry("group", CLOSED_GROUP);
              });
    }
    assertThat(offsets.groups())
        .extracting(Group::name)
        .contains("open")
        .doesNotContain(CLOSED_GROUP);
  }

  private static AclBinding denied(
      ResourceType type, String name, PatternType pattern, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(type, name, pattern),
        new AccessControlEntry("User:*", "*", operation, AclPermissionType.DENY));
  }

  private static AclBinding allowed(ResourceType type, String name, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(type, name, PatternType.LITERAL),
        new AccessControlEntry("User:*", "*", operation, AclPermissionType.ALLOW));
  }
}
