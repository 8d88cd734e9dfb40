package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.LogBounds;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.v1.Origin;
import io.whence.v1.Outcome;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import io.whence.v1.TimestampType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogEndsTest extends TimestampCallFixture {
  private final List<TopicPartition> asked = new ArrayList<>();
  private ProbedSource leader;

  @BeforeEach
  void follow() throws IOException {
    leader = new ProbedSource(directory.resolve("leader"), 1_690_000_000_010L);
    leader.createTopic("real", 2);
    logs.put("followed", 2, partition -> leader.logs("real").snapshot(partition));
    logs.follow(
        partitions -> {
          asked.addAll(partitions);
          leader.append("real", 0, 1_690_000_000_005L);
          return Map.of();
        });
  }

  @AfterEach
  void closeLeader() throws IOException {
    leader.close();
  }

  private void ask(boolean localOnly, int... partitions) {
    ask(request(query("followed", partitions)).toBuilder().setLocalOnly(localOnly).build());
  }

  private void ask(ResolveTimestampRequest request) {
    runner.runInTurns(
        "Test", answers, scope -> new TimestampCall(new LogLookups(), request, scope, workspaces));
  }

  private List<TimestampAnswer> answered() {
    return response().getResults(0).getAnswersList();
  }

  @Test
  void nothingFound_leadersAreAsked_andTheirRecordsAreSeen() {
    ask(false, 1, 0, 0);
    loop.runWork();

    assertThat(asked)
        .containsExactly(new TopicPartition("followed", 1), new TopicPartition("followed", 0));
    assertThat(answered().stream().map(TimestampAnswer::getOutcome))
        .containsExactly(Outcome.OUTCOME_EMPTY, Outcome.OUTCOME_FOUND, Outcome.OUTCOME_FOUND);
    assertThat(answered().get(1).getBounds().getEndOffset()).isEqualTo(1);
    assertThat(told).containsExactlyInAnyOrder("at_or_after found 2", "at_or_after empty 1");
  }

  @Test
  void recordFound_nobodyIsAsked() {
    leader.append("real", 0, 1_690_000_000_001L);

    ask(false, 0);

    assertThat(loop.work).isEmpty();
    assertThat(asked).isEmpty();
    assertThat(answered().get(0).getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
  }

  @Test
  void lastRecordBeforeATime_leaderIsAsked_sinceItsRecordMayBeLater() {
    leader.append("real", 0, 1_689_000_000_000L);
    logs.follow(
        partitions -> {
          leader.append("real", 0, 1_689_000_000_001L);
          return Map.of();
        });

    ask(
        request(
            TimestampQuery.newBuilder()
                .setTopic("followed")
                .addPartitions(0)
                .setPosition(
                    Position.newBuilder()
                        .setAtOrBefore(TimePoint.newBuilder().setEpochMs(1_690_000_000_000L)))
                .build()));
    loop.runWork();

    assertThat(answered().get(0).getOffset()).isEqualTo(1);
  }

  @Test
  void recordFoundAndNotTooOld_nobodyIsAsked() {
    leader.append("real", 0, 1_690_000_000_001L);
    logs.stalenessMs(500);

    ask(request(query("followed", 0)).toBuilder().setMaxStalenessMs(500).build());
    assertThat(loop.work).isEmpty();
    assertThat(asked).isEmpty();
    assertThat(answered().get(0).getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
  }

  @Test
  void recordFoundButTooOld_leaderIsAsked() {
    leader.append("real", 0, 1_690_000_000_001L);
    logs.stalenessMs(500);

    ask(request(query("followed", 0)).toBuilder().setMaxStalenessMs(499).build());
    loop.runWork();
    assertThat(asked).containsExactly(new TopicPartition("followed", 0));
    assertThat(answered().get(0).getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
  }

  @Test
  void tooOldAndNobodyIsAsked_fails() {
    leader.append("real", 0, 1_690_000_000_001L);
    logs.stalenessMs(500);

    ask(
        request(query("followed", 0)).toBuilder()
            .setMaxStalenessMs(499)
            .setLocalOnly(true)
            .build());

    assertThat(asked).isEmpty();
    assertThat(reasons(response(), 0)).containsExactly("ERROR_REASON_LEADER_UNAVAILABLE");
    assertThat(answered().get(0).getError().getMessage())
        .contains("500 ms", "max_staleness_ms 499");
  }

  @Test
  void copyCantTell_clusterIsAskedOnceForAll_andTheCopyIsLookedAtAgain() {
    leader.append("real", 0, 1_690_000_000_007L);
    boolean[] ready = new boolean[2];
    logs.put(
        "begun",
        2,
        partition -> {
          if (!ready[partition]) {
            throw WhenceException.of(ErrorReason.NOT_READY, "at offset 3 of 9");
          }
          return leader.logs("real").snapshot(0);
        });
    List<ClusterQuestion> questions = new ArrayList<>();
    logs.answerAsCluster(
        question -> {
          questions.add(question);
          ready[0] = true; // It came to its end meanwhile.
          return ClusterAnswer.of(brokers(42));
        });

    ask(request(query("begun"), query("begun", 1, 1)));
    loop.runWork();

    assertThat(questions).hasSize(2);
    assertThat(answered().get(0).getOffset()).isZero();
    assertThat(answered().get(0).getOrigin()).isEqualTo(Origin.ORIGIN_MEMORY);
    for (TimestampAnswer told :
        List.of(answered().get(1), response().getResults(1).getAnswers(1))) {
      assertThat(told.getOffset()).isEqualTo(42);
      assertThat(told.getOrigin()).isEqualTo(Origin.ORIGIN_BROKER);
      assertThat(told.getRecord().getTimestampType())
          .isEqualTo(TimestampType.TIMESTAMP_TYPE_UNSPECIFIED);
      assertThat(told.getStalenessMs()).isZero();
    }
  }

  @Test
  void brokersCantTellEither_theCopysReasonIsGiven() {
    logs.put(
        "begun",
        1,
        partition -> {
          throw WhenceException.of(ErrorReason.NOT_READY, "at offset 3 of 9");
        });
    logs.answerAsCluster(
        question -> {
          throw new AssertionError("asked about " + question);
        });

    ask(
        request(
            TimestampQuery.newBuilder()
                .setTopic("begun")
                .setPosition(
                    Position.newBuilder()
                        .setAtOrBefore(TimePoint.newBuilder().setEpochMs(1_690_000_000_000L)))
                .build()));
    loop.runWork();

    assertThat(reasons(response(), 0)).containsExactly("ERROR_REASON_NOT_READY");
  }

  private static Resolution brokers(long offset) {
    return new Resolution(
        io.whence.model.Outcome.FOUND,
        offset,
        new RecordStamp(offset, 1_690_000_000_020L, io.whence.model.TimestampType.UNKNOWN, -1),
        0,
        new LogBounds(0, 50),
        false,
        io.whence.model.Origin.BROKER);
  }

  @Test
  void localOnly_theCopyIsGoodEnough() {
    ask(true, 0, 1);

    assertThat(loop.work).isEmpty();
    assertThat(asked).isEmpty();
    assertThat(answered().get(0).getOutcome()).isEqualTo(Outcome.OUTCOME_EMPTY);
  }

  @Test
  void leaderAway_itsPartitionFails_othersAreAnswered() {
    logs.follow(
        partitions -> {
          leader.append("real", 0, 1_690_000_000_005L);
          return Map.of(
              new TopicPartition("followed", 1),
              WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "gone"));
        });

    ask(false);
    loop.runWork();

    assertThat(answered().get(0).getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
    assertThat(reasons(response(), 0)).containsExactly("", "ERROR_REASON_LEADER_UNAVAILABLE");
  }
}
