package io.whence.commit.kafka;

import static io.whence.commit.kafka.GroupCluster.await;
import static io.whence.commit.kafka.GroupCluster.commit;
import static io.whence.commit.kafka.GroupCluster.committed;
import static io.whence.commit.kafka.Writes.anywhere;
import static io.whence.commit.kafka.Writes.named;
import static io.whence.commit.kafka.Writes.request;
import static io.whence.commit.kafka.Writes.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.commit.CommitReply;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A cluster that is away keeps nobody for longer than the time-out, and comes back by itself. */
class KafkaGroupOutageIT {
  private static final Duration TIME_OUT = Duration.ofSeconds(3);
  private static final Duration LIMIT = TIME_OUT.plusSeconds(10);
  private static final Duration HEALED = Duration.ofSeconds(60);

  @Test
  void brokerAway_answersInTimeAndHeals() {
    try (GroupCluster cluster = GroupCluster.start(Map.of())) {
      KafkaGroupOffsets offsets = cluster.open(TIME_OUT, "whence-");
      commit(cluster.open(), request("g", write(0, 3)));
      // A broker of Kafka 4.4 that is killed before it has written the end of a transaction, and is
      // back at once, may take it for ended and never write it.
      KafkaGroupOffsets patient = cluster.open();
      Awaitility.await().atMost(HEALED).until(() -> committed(patient, "g", 0) == 3);
      cluster.broker.kill();

      long askedNanos = System.nanoTime();
      CommitReply reply = offsets.commit(named(request("g", write(0, 4)), "r"), Cancellation.NONE);
      assertThat(Duration.ofNanos(System.nanoTime() - askedNanos)).isLessThan(TIME_OUT);
      assertThat(reply.isForeseen()).isFalse();
      assertAway(() -> await(reply.durable()));
      assertAway(() -> offsets.group("g"));
      assertAway(offsets::groups);
      assertAway(() -> commit(offsets, request("g", anywhere(0, 4))));
      assertAway(() -> await(offsets.deleteGroup("g", Cancellation.NONE)));

      cluster.broker.restart();
      Awaitility.await()
          .atMost(HEALED)
          .ignoreExceptionsMatching(KafkaGroupOutageIT::isAway)
          .until(() -> commit(offsets, request("g", write(0, 4))).get(0).failure().isEmpty());
      CommitReply again = offsets.commit(named(request("g", write(0, 4)), "r"), Cancellation.NONE);
      assertThat(again.replayed()).as("one that came to nothing is done anew").isFalse();
      await(again.durable());
      assertThat(committed(patient, "g", 0)).isEqualTo(4);
    }
  }

  /** Judged is right before it is written. */
  @Test
  void brokerThatHangsWhenACommitIsJudged_leavesOpenOnlyWhatItMayHaveMade() {
    try (GroupCluster cluster = GroupCluster.start(Map.of())) {
      AtomicBoolean hangs = new AtomicBoolean();
      InstantSource clock =
          () -> {
            if (hangs.getAndSet(false)) {
              cluster.broker.pause();
            }
            return Instant.now();
          };
      KafkaGroupOffsets offsets = cluster.open(TIME_OUT, "whence-", Map.of(), clock);
      commit(offsets, request("g", write(0, 3)));
      try {
        hangs.set(true);
        assertThat(isOutcomeUnknown(() -> commit(offsets, request("g", anywhere(0, 4))))).isTrue();
        cluster.broker.resume();
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .ignoreExceptionsMatching(
                e -> e instanceof WhenceException w && w.reason() == ErrorReason.LEADER_UNAVAILABLE)
            .until(() -> commit(offsets, request("g", write(0, 5))).get(0).failure().isEmpty());

        hangs.set(true);
        assertThat(isOutcomeUnknown(() -> commit(offsets, request("g", write(0, 6))))).isFalse();
      } finally {
        cluster.broker.resume();
      }
    }
  }

  private static boolean isOutcomeUnknown(ThrowingCallable work) {
    WhenceException failure = catchThrowableOfType(WhenceException.class, work);
    assertThat(failure.reason()).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
    return failure.isOutcomeUnknown();
  }

  @Test
  void brokerThatHangsWhileAHistoryIsRead_endsTheRead() {
    try (GroupCluster cluster = GroupCluster.start(Map.of())) {
      // A batch an answer, so that there is a middle.
      KafkaGroupOffsets offsets =
          cluster.open(TIME_OUT, "whence-", Map.of("max.partition.fetch.bytes", 1));
      KafkaGroupOffsets patient = cluster.open();
      for (int i = 0; i < 60; i++) {
        commit(patient, request("g", anywhere(0, i)));
      }
      TopicPartition partition = new TopicPartition(Writes.TOPIC, 0);
      AtomicInteger looks = new AtomicInteger();
      Cancellation pausing =
          () -> {
            if (looks.incrementAndGet() == 20) {
              cluster.broker.pause();
            }
          };
      try {
        assertAway(() -> offsets.history("g", partition, 5, pausing));
        assertThat(looks).hasValueGreaterThan(20);
      } finally {
        cluster.broker.resume();
      }
      Awaitility.await()
          .atMost(HEALED)
          .ignoreExceptionsMatching(KafkaGroupOutageIT::isAway)
          .untilAsserted(
              () ->
                  assertThat(offsets.history("g", partition, 100, Cancellation.NONE)).hasSize(60));
    }
  }

  @Test
  void whatNobodyWaitsForAtItsTurn_isNotBegun() {
    try (GroupCluster cluster = GroupCluster.start(Map.of())) {
      KafkaGroupOffsets offsets = cluster.open();
      Cancellation gone =
          () -> {
            throw WhenceException.of(ErrorReason.DEADLINE_EXCEEDED, "gone");
          };
      CommitReply first = offsets.commit(named(request("g", write(0, 3)), "r"), gone);
      assertGone(() -> await(first.durable()));
      assertGone(() -> await(offsets.commit(request("g", anywhere(0, 3)), gone).durable()));
      assertThat(offsets.group("g")).isEmpty();

      CommitReply again = offsets.commit(named(request("g", write(0, 3)), "r"), Cancellation.NONE);
      await(again.durable());
      assertThat(again.replayed()).isFalse();
      List<TopicPartition> all = List.of(new TopicPartition(Writes.TOPIC, 0));
      assertGone(() -> await(offsets.deleteOffsets("g", all, gone)));
      assertGone(() -> await(offsets.deleteGroup("g", gone)));
      assertThat(committed(offsets, "g", 0)).isEqualTo(3);
    }
  }

  private static void assertGone(ThrowingCallable work) {
    assertThatThrownBy(work)
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> assertThat(e.reason()).isEqualTo(ErrorReason.DEADLINE_EXCEEDED));
  }

  @Test
  void close_refusesWhatComesThen() {
    try (GroupCluster cluster = GroupCluster.start(Map.of())) {
      KafkaGroupOffsets offsets = cluster.open();
      offsets.close();
      assertThatThrownBy(() -> offsets.commit(request("g", write(0, 1)), Cancellation.NONE))
          .isInstanceOfSatisfying(
              WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.DRAINING));
    }
  }

  private static boolean isAway(Throwable failure) {
    return failure instanceof WhenceException told
        && told.reason() == ErrorReason.LEADER_UNAVAILABLE;
  }

  private static void assertAway(ThrowingCallable work) {
    long startNanos = System.nanoTime();
    assertThatThrownBy(work)
        .isInstanceOfSatisfying(
            WhenceException.class,
            e ->
                assertThat(e.reason())
                    .as(e.getMessage())
                    .isEqualTo(ErrorReason.LEADER_UNAVAILABLE));
    assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(LIMIT);
  }
}
