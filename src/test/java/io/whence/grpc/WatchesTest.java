package io.whence.grpc;

import static io.whence.grpc.WatchHarness.NOW;
import static io.whence.grpc.WatchHarness.query;
import static io.whence.grpc.WatchHarness.queryOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.WhenceException;
import io.whence.v1.ErrorReason;
import io.whence.v1.Outcome;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchDone;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What watches tell. */
class WatchesTest {
  private final WatchHarness harness;

  WatchesTest() throws IOException {
    harness = new WatchHarness();
  }

  @AfterEach
  void close() throws IOException {
    harness.close();
  }

  @Test
  void reachedAlready_toldAtOnceWithTheWholeAnswer() {
    harness.source.append("t", 1, NOW - 10, NOW + 5, NOW + 7);

    harness.begin(query(NOW, 1));

    assertThat(harness.call.messages()).hasSize(3);
    assertThat(harness.call.messages().get(0).getServerTimeMs()).isEqualTo(NOW);
    assertThat(harness.call.messages().get(0).getStarted().getSource()).isEqualTo("local");
    assertThat(harness.call.messages().get(0).getStarted().getTargetTimestampMsList())
        .containsExactly(NOW);
    assertThat(harness.call.messages().get(0).getStarted().getPartitionCount()).isEqualTo(1);
    TimestampAnswer answer = harness.call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
    assertThat(answer.getPartition()).isEqualTo(1);
    assertThat(answer.getOffset()).isEqualTo(1);
    assertThat(answer.getDistanceMs()).isEqualTo(5);
    assertThat(answer.getRecord().getTimestampMs()).isEqualTo(NOW + 5);
    assertThat(answer.getFutureTimestamp()).isTrue();
    assertThat(answer.getBounds().getEndOffset()).isEqualTo(3);
    assertThat(harness.call.messages().get(2).getDone())
        .isEqualTo(WatchDone.newBuilder().setReachedCount(1).build());
    assertThat(harness.call.isCompleted()).isTrue();
    harness.assertNothingIsLeft();
  }

  @Test
  void reachedByAppends_toldOneByOneThenDone() {
    harness.begin(query(NOW));
    assertThat(harness.call.messages()).hasSize(1);
    assertThat(harness.source.watchCount()).isEqualTo(3);

    harness.append(2, NOW - 1);
    assertThat(harness.workers.waiting(CallLane.LOOKUPS)).isZero();
    harness.append(2, NOW);
    harness.append(0, NOW + 1);
    assertThat(harness.call.messages()).hasSize(3);
    assertThat(harness.call.isCompleted()).isFalse();
    harness.append(1, NOW + 2);

    assertThat(harness.call.messages().subList(1, 4))
        .extracting(event -> event.getPartition().getAnswer().getPartition())
        .containsExactly(2, 0, 1);
    assertThat(harness.call.messages().get(4).getDone().getReachedCount()).isEqualTo(3);
    assertThat(harness.call.isCompleted()).isTrue();
    harness.assertNothingIsLeft();
  }

  @Test
  void disorderedRecords_firstByOffsetCounts() {
    harness.begin(query(NOW, 0));

    harness.append(0, NOW - 5, NOW + 60, NOW - 7, NOW + 1);

    TimestampAnswer answer = harness.call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOffset()).isEqualTo(1);
    assertThat(answer.getDistanceMs()).isEqualTo(60);
  }

  @Test
  void recordsThatWereTrimmed_doNotCount() {
    harness.source.append("t", 0, NOW + 5);
    harness.source.trim("t", 0, 1);
    harness.begin(query(NOW, 0));
    assertThat(harness.call.messages()).hasSize(1);

    harness.append(0, NOW + 6);

    TimestampAnswer answer = harness.call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOffset()).isEqualTo(1);
    assertThat(answer.getStartCut()).isTrue();
  }

  @Test
  void manyAppendsBeforeATurn_oneLook() {
    harness.begin(query(NOW, 0));
    int[] looks = {0};
    harness.source.probe(partition -> looks[0]++);

    for (int i = 0; i < 100; i++) {
      harness.source.append("t", 0, NOW + i);
    }
    assertThat(harness.workers.waiting(CallLane.LOOKUPS)).isEqualTo(1);
    harness.workers.work();

    assertThat(looks[0]).isEqualTo(1);
    assertThat(harness.call.isCompleted()).isTrue();
  }

  @Test
  void severalQueries_toldByIndex() {
    harness.source.append("t", 0, NOW);

    harness.begin(query(NOW, 0), query(NOW + 10, 0), query(NOW - 10, 0));
    assertThat(harness.call.messages().get(0).getStarted().getTargetTimestampMsList())
        .containsExactly(NOW, NOW + 10, NOW - 10);
    harness.append(0, NOW + 10);

    assertThat(harness.call.messages().subList(1, 4))
        .extracting(event -> event.getPartition().getQueryIndex())
        .containsExactly(0, 2, 1);
  }

  @Test
  void deletedTopic_failsItsPartitionsAndOthersGoOn() {
    harness.source.createTopic("gone", 2);
    harness.begin(query(NOW, 0), queryOf("gone", NOW));

    harness.source.deleteTopic("gone");
    harness.workers.work();
    harness.append(0, NOW);

    assertThat(harness.call.messages().subList(1, 3))
        .allSatisfy(
            event ->
                assertThat(event.getPartition().getAnswer().getError().getReason())
                    .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC));
    assertThat(harness.call.messages().get(4).getDone())
        .isEqualTo(WatchDone.newBuilder().setReachedCount(1).setFailedCount(2).build());
    harness.assertNothingIsLeft();
  }

  @Test
  void topicMadeAnewWithRecords_isStaleAndNotReached() {
    harness.begin(query(NOW, 0));

    harness.source.deleteTopic("t");
    harness.source.createTopic("t", 1);
    harness.source.append("t", 0, NOW);
    harness.workers.work();

    TimestampAnswer answer = harness.call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_FAILED);
    assertThat(answer.getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_STALE_TOPIC);
    assertThat(harness.call.messages().get(2).getDone().getFailedCount()).isEqualTo(1);
    harness.assertNothingIsLeft();
  }

  @Test
  void unknownPartition_failsAlone() {
    harness.source.append("t", 0, NOW);

    harness.begin(query(NOW, 7, 0));

    assertThat(harness.call.messages().get(1).getPartition().getAnswer().getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_PARTITION);
    assertThat(harness.call.messages().get(3).getDone().getReachedCount()).isEqualTo(1);
    harness.assertNothingIsLeft();
  }

  private void failLooks(io.whence.model.ErrorReason reason) {
    harness.source.probe(
        partition -> {
          throw WhenceException.of(reason, "can't be answered for");
        });
  }

  @Test
  void followedLogNotAnsweredForAWhile_isWaitedFor() {
    harness.source.follow();
    failLooks(io.whence.model.ErrorReason.NOT_READY);
    harness.begin(query(NOW, 0));
    failLooks(io.whence.model.ErrorReason.LEADER_UNAVAILABLE);
    harness.append(0, NOW + 1);
    assertThat(harness.call.messages()).as("it has only begun").hasSize(1);

    harness.source.probe(partition -> {});
    harness.append(0, NOW + 2);

    TimestampAnswer answer = harness.call.messages().get(1).getPartition().getAnswer();
    assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_FOUND);
    assertThat(answer.getOffset()).isZero();
    assertThat(harness.call.isCompleted()).isTrue();
    harness.assertNothingIsLeft();
  }

  @Test
  void followedLogThatMayNotBeRead_failsItsPartition() {
    harness.source.follow();
    failLooks(io.whence.model.ErrorReason.NOT_AUTHORIZED);

    harness.begin(query(NOW, 0));

    assertThat(harness.call.messages().get(1).getPartition().getAnswer().getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_NOT_AUTHORIZED);
    assertThat(harness.call.isCompleted()).isTrue();
  }
}
