package io.whence.commit.kafka;

import static io.whence.commit.kafka.GroupCluster.await;
import static io.whence.commit.kafka.GroupCluster.commit;
import static io.whence.commit.kafka.GroupCluster.committed;
import static io.whence.commit.kafka.Writes.TOPIC;
import static io.whence.commit.kafka.Writes.anywhere;
import static io.whence.commit.kafka.Writes.atomic;
import static io.whence.commit.kafka.Writes.dry;
import static io.whence.commit.kafka.Writes.entry;
import static io.whence.commit.kafka.Writes.inTopic;
import static io.whence.commit.kafka.Writes.named;
import static io.whence.commit.kafka.Writes.request;
import static io.whence.commit.kafka.Writes.swap;
import static io.whence.commit.kafka.Writes.withWriterEpoch;
import static io.whence.commit.kafka.Writes.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitReply;
import io.whence.commit.CommitResult;
import io.whence.commit.CommittedOffset;
import io.whence.commit.Expected;
import io.whence.commit.Group;
import io.whence.commit.GroupKind;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaGroupOffsetsIT {
  private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(TOPIC, 1);

  private static GroupCluster cluster;
  private static KafkaGroupOffsets offsets;

  @BeforeAll
  static void start() {
    cluster = GroupCluster.start(Map.of());
    offsets = cluster.open();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void commit_readBack_keepsEpochAndMetadata() {
    List<CommitResult> results =
        commit(
            offsets,
            request(
                "round-trip", entry(P0, 7, 3, "é meta", Expected.ANYTHING, false), write(1, 0)));

    assertThat(results).extracting(CommitResult::outcome).containsOnly(CommitOutcome.COMMITTED);
    assertThat(results).extracting(CommitResult::before).containsOnly(-1L);
    assertThat(results).extracting(CommitResult::now).containsExactly(7L, 0L);
    Group group = offsets.group("round-trip").orElseThrow();
    assertThat(group.partitions()).containsExactly(P0, P1);
    CommittedOffset told = group.offset(P0).orElseThrow();
    assertThat(told.nextOffset()).isEqualTo(7);
    assertThat(told.leaderEpoch()).hasValue(3);
    assertThat(told.metadata()).isEqualTo("é meta");
    assertThat(group.offset(P1).orElseThrow().leaderEpoch()).isEmpty();
    assertThat(offsets.expiresAtMs(group, told)).isEmpty();
    assertThat(offsets.history("round-trip", P0, 10, Cancellation.NONE))
        .singleElement()
        .satisfies(change -> assertThat(change.after()).isEqualTo(7));
    assertThat(offsets.warnings()).isEmpty();
  }

  @Test
  void groupWithoutCommits_isNotThere() {
    assertThat(offsets.group("nobody")).isEmpty();
  }

  @Test
  void guards_refuseEachOnItsOwn() {
    commit(offsets, request("guards", write(0, 5), write(1, 5), write(2, 5)));

    List<CommitResult> results =
        commit(
            offsets,
            request("guards", write(0, 4), swap(1, new Expected.Offset(6), 7), write(2, 11)));

    assertThat(results).extracting(CommitResult::outcome).containsOnly(CommitOutcome.FAILED);
    assertThat(results)
        .extracting(result -> result.failure().orElseThrow().reason())
        .containsExactly(
            ErrorReason.REGRESSION, ErrorReason.CONFLICT, ErrorReason.OFFSET_OUT_OF_RANGE);
    assertThat(results.get(1).failure().orElseThrow().metadata())
        .containsEntry("committed_offset", "5");
    assertThat(results).extracting(CommitResult::now).containsOnly(5L);

    List<CommitResult> allowed =
        commit(
            offsets,
            request("guards", anywhere(0, 2), swap(1, new Expected.Offset(5), 7), write(2, 5)));
    assertThat(allowed)
        .extracting(CommitResult::outcome)
        .containsExactly(CommitOutcome.COMMITTED, CommitOutcome.COMMITTED, CommitOutcome.UNCHANGED);
    assertThat(allowed).extracting(CommitResult::before).containsOnly(5L);
    assertThat(committed(offsets, "guards", 0)).isEqualTo(2);
    assertThat(committed(offsets, "guards", 1)).isEqualTo(7);
  }

  @Test
  void badEntries_leaveNeighboursCommitted() {
    List<CommitResult> results =
        commit(
            offsets,
            request(
                "partial",
                write(0, 3),
                write(7, 1),
                inTopic(write(0, 1), "no-such-topic", null),
                entry(P1, 1, -1, "m".repeat(4097), Expected.ANYTHING, false),
                inTopic(write(2, 1), TOPIC, new TopicId(new UUID(1, 2))),
                withWriterEpoch(inTopic(write(2, 1), TOPIC, null), 5)));

    assertThat(results.get(0).outcome()).isEqualTo(CommitOutcome.COMMITTED);
    assertThat(results.subList(1, 6))
        .extracting(result -> result.failure().orElseThrow().reason())
        .containsExactly(
            ErrorReason.UNKNOWN_PARTITION,
            ErrorReason.UNKNOWN_TOPIC,
            ErrorReason.METADATA_TOO_LARGE,
            ErrorReason.STALE_TOPIC,
            ErrorReason.UNSUPPORTED);
    assertThat(offsets.group("partial").orElseThrow().partitions()).containsExactly(P0);
  }

  @Test
  void badEntryOfUnguardedRequest_leavesNeighboursCommitted() {
    List<CommitResult> results =
        commit(offsets, request("partial-plain", anywhere(0, 99), anywhere(7, 1)));
    assertThat(results.get(0).outcome()).isEqualTo(CommitOutcome.COMMITTED);
    assertThat(results.get(1).failure().orElseThrow().reason())
        .isEqualTo(ErrorReason.UNKNOWN_PARTITION);
    assertThat(committed(offsets, "partial-plain", 0)).isEqualTo(99);
  }

  @Test
  void atomicRequestWithRefusedEntry_commitsNothing() {
    commit(offsets, request("atomic", write(0, 5)));
    List<CommitResult> results =
        commit(offsets, atomic(request("atomic", write(0, 4), write(1, 4))));
    assertThat(results)
        .extracting(CommitResult::outcome)
        .containsExactly(CommitOutcome.FAILED, CommitOutcome.NOT_APPLIED);
    assertThat(offsets.group("atomic").orElseThrow().partitions()).containsExactly(P0);

    commit(offsets, atomic(request("atomic", write(0, 6), write(1, 6))));
    assertThat(committed(offsets, "atomic", 0)).isEqualTo(6);
    assertThat(committed(offsets, "atomic", 1)).isEqualTo(6);
  }

  @Test
  void dryRun_tellsAndCommitsNothing() {
    commit(offsets, request("dry", write(0, 5)));
    List<CommitResult> results = commit(offsets, dry(request("dry", write(0, 6), write(1, 99))));
    assertThat(results)
        .extracting(CommitResult::outcome)
        .containsExactly(CommitOutcome.COMMITTED, CommitOutcome.FAILED);
    assertThat(committed(offsets, "dry", 0)).isEqualTo(5);
  }

  @Test
  void requestSentAgain_givesFirstResultOnce() {
    CommitReply first =
        offsets.commit(named(request("again", write(0, 5)), "r1"), Cancellation.NONE);
    await(first.durable());
    commit(offsets, request("again", write(0, 8)));

    CommitReply again =
        offsets.commit(named(request("again", write(0, 5)), "r1"), Cancellation.NONE);
    await(again.durable());

    assertThat(first.replayed()).isFalse();
    assertThat(again.replayed()).isTrue();
    assertThat(again.results()).isEqualTo(first.results());
    assertThat(committed(offsets, "again", 0)).isEqualTo(8);
    assertThatThrownBy(
            () -> offsets.commit(named(request("again", write(0, 9)), "r1"), Cancellation.NONE))
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> assertThat(e.reason()).isEqualTo(ErrorReason.REQUEST_ID_REUSED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void consumer_startsWhereTheCommitPutIt(String protocol) {
    String group = "starts-" + protocol;
    commit(offsets, request(group, write(0, 4), write(1, 9), write(2, 10)));
    try (KafkaConsumer<byte[], byte[]> consumer =
        cluster.consumer(group, Map.of("group.protocol", protocol))) {
      consumer.subscribe(List.of(TOPIC));
      TreeMap<Integer, Long> firsts = new TreeMap<>();
      Awaitility.await()
          .pollInSameThread()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                for (ConsumerRecord<byte[], byte[]> r : consumer.poll(Duration.ofMillis(100))) {
                  firsts.putIfAbsent(r.partition(), r.offset());
                }
                return firsts.size() == 2;
              });
      assertThat(firsts).isEqualTo(Map.of(0, 4L, 1, 9L));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void activeGroup_isRefusedWithItsMembersNamed(String protocol) {
    String group = "active-" + protocol;
    commit(offsets, request(group, write(0, 4)));
    try (KafkaConsumer<byte[], byte[]> consumer =
        cluster.consumer(group, Map.of("group.protocol", protocol))) {
      consumer.subscribe(List.of(TOPIC));
      Awaitility.await()
          .pollInSameThread()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(100));
                return consumer.assignment().size() == GroupCluster.PARTITIONS;
              });

      for (var refused :
          List.of(
              request(group, write(0, 6)), // In a transaction.
              request(group, anywhere(0, 6)), // With a plain request.
              dry(request(group, write(0, 6))))) {
        assertActive(group, () -> commit(offsets, refused));
      }
      assertActive(group, () -> await(offsets.deleteGroup(group, Cancellation.NONE)));
      assertActive(
          group, () -> await(offsets.deleteOffsets(group, List.of(P0), Cancellation.NONE)));
      assertThat(committed(offsets, group, 0)).isEqualTo(4);
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptionsMatching(
            e -> e instanceof WhenceException w && w.reason() == ErrorReason.GROUP_ACTIVE)
        .until(() -> commit(offsets, request(group, write(0, 6))).get(0).failure().isEmpty());
    assertThat(committed(offsets, group, 0)).isEqualTo(6);
  }

  private static void assertActive(String group, Runnable work) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(ErrorReason.GROUP_ACTIVE);
              assertThat(e.metadata()).containsEntry("group", group);
              assertThat(e.metadata().get("members"))
                  .contains("reader-of-" + group, "127.0.0.1", "topics: " + TOPIC);
              assertThat(e).hasMessageContaining("reader-of-" + group);
            });
  }

  @Test
  void topicCreatedAgain_isStaleForItsOldId() {
    cluster.createTopic("again");
    TopicId old = topicId("again");
    commit(offsets, request("stale", inTopic(write(0, 3), "again", old)));
    await(cluster.admin.deleteTopics(List.of("again")).all().toCompletionStage());
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(
            () -> {
              cluster.createTopic("again");
              return true;
            });

    CommitResult refused =
        commit(offsets, request("stale", inTopic(write(0, 4), "again", old))).get(0);

    assertThat(refused.failure().orElseThrow().reason()).isEqualTo(ErrorReason.STALE_TOPIC);
    TopicId now = topicId("again");
    assertThat(now).isNotEqualTo(old);
    assertThat(refused.failure().orElseThrow().metadata())
        .containsEntry("topic_id", now.toString());
    assertThat(commit(offsets, request("stale", inTopic(write(0, 4), "again", now))).get(0).error())
        .isNull();
  }

  private static TopicId topicId(String topic) {
    return Optional.ofNullable(
            KafkaTypes.topicId(
                await(
                        cluster
                            .admin
                            .describeTopics(List.of(topic))
                            .topicNameValues()
                            .get(topic)
                            .toCompletionStage())
                    .topicId()))
        .orElseThrow();
  }

  @Test
  void deleteOffsets_removesThoseAndTellsWhatTheyWere() {
    commit(offsets, request("delete", write(0, 5), write(1, 6), write(2, 7)));
    var deleted =
        await(
            offsets.deleteOffsets(
                "delete",
                List.of(P1, P0, new TopicPartition("no-such-topic", 0)),
                Cancellation.NONE));
    assertThat(deleted).extracting(d -> d.offsetBefore().orElse(-1)).containsExactly(6L, 5L, -1L);
    assertThat(offsets.group("delete").orElseThrow().partitions())
        .containsExactly(new TopicPartition(TOPIC, 2));
    assertThat(await(offsets.deleteOffsets("nobody", List.of(P0), Cancellation.NONE)))
        .extracting(d -> d.before())
        .containsExactly(-1L);
  }

  /** The end of a transaction comes to the coordinator of the group a moment later. */
  @Test
  void newGroup_isThereOnceItsCommitIsAcknowledged() {
    for (int i = 0; i < 100; i++) {
      commit(offsets, request("seen-" + i, write(0, 5)));
      assertThat(committed(offsets, "seen-" + i, 0)).as("group %d", i).isEqualTo(5);
    }
  }

  @Test
  void deleteGroup_removesItOnce() {
    commit(offsets, request("gone", write(0, 5), write(1, 6)));
    assertThat(await(offsets.deleteGroup("gone", Cancellation.NONE))).isEqualTo(2);
    assertThat(offsets.group("gone")).isEmpty();
    assertThatThrownBy(() -> await(offsets.deleteGroup("gone", Cancellation.NONE)))
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> assertThat(e.reason()).isEqualTo(ErrorReason.UNKNOWN_GROUP));
  }

  @Test
  void groups_areAllThereWithTheirKinds() {
    commit(offsets, request("listed-simple", write(0, 5)));
    try (KafkaConsumer<byte[], byte[]> classic =
            cluster.consumer("listed-classic", Map.of("group.protocol", "classic"));
        KafkaConsumer<byte[], byte[]> modern =
            cluster.consumer("listed-consumer", Map.of("group.protocol", "consumer"))) {
      for (KafkaConsumer<byte[], byte[]> consumer : List.of(classic, modern)) {
        consumer.subscribe(List.of(TOPIC));
        Awaitility.await()
            .pollInSameThread()
            .atMost(Duration.ofSeconds(60))
            .until(() -> consumer.poll(Duration.ofMillis(100)).count() > 0);
        consumer.commitSync();
      }
      Map<String, Group> groups =
          offsets.groups().stream().collect(Collectors.toMap(Group::name, group -> group));
      assertThat(groups).containsKeys("listed-simple", "listed-classic", "listed-consumer");
      assertThat(groups.get("listed-simple").state().kind()).isEqualTo(GroupKind.SIMPLE);
      assertThat(groups.get("listed-classic").state().kind()).isEqualTo(GroupKind.CLASSIC);
      assertThat(groups.get("listed-consumer").state().kind()).isEqualTo(GroupKind.CONSUMER);
      assertThat(groups.get("listed-simple").state().memberCount()).isZero();
      assertThat(groups.get("listed-classic").isEmpty()).isFalse();
      assertThat(groups.get("listed-simple").offset(P0).orElseThrow().nextOffset()).isEqualTo(5);
    }
  }
}
