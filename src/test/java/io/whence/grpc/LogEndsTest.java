package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.v1.Outcome;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimestampAnswer;
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
    ResolveTimestampRequest request =
        request(query("followed", partitions)).toBuilder().setLocalOnly(localOnly).build();
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
