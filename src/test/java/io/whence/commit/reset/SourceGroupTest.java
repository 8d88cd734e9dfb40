package io.whence.commit.reset;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.commit.Group;
import io.whence.log.TestLogs;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.WrittenLog;
import io.whence.testkit.BatchBuilder;
import io.whence.testkit.Directories;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A group is put where it stands in another source, by the times of what it has not read there. */
class SourceGroupTest {
  private static final TopicPartition ORDERS = PlannerLogs.partition(0);

  private final PlannerLogs there = new PlannerLogs();
  private final PlannerLogs here = new PlannerLogs();

  @AfterEach
  void close() {
    there.close();
    here.close();
  }

  private PlannedReset plan() {
    return plan(true);
  }

  private PlannedReset plan(boolean named) {
    return here.plan(named, new ResetTarget.OfSourceGroup(there.source, there.group("a")), ORDERS)
        .get(0);
  }

  private void commit(long offset) {
    there.offsets.put("a", ORDERS, offset);
  }

  @Test
  void orderedLogs_goesOnAtTheNextRecord() {
    there.log(0, 0, "0:100 1:200 2:300 | 3:400");
    here.log(0, 0, "10:100 12:200 | 14:300 16:400");
    commit(2);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.MOVE);
    assertThat(plan.planned().offset()).isEqualTo(14);
    assertThat(plan.reason())
        .contains("at or after 1970-01-01T00:00:00.300Z")
        .contains("oldest of the 2 records")
        .contains("group 'a' of source 'fixed'");
  }

  @Test
  void disorderedRecords_theOldestUnreadOneCounts() {
    there.log(0, 0, "0:100 1:200 2:300 3:150 4:400");
    here.log(0, 0, "0:100 1:200 2:300 3:150 4:400");
    commit(2);

    assertThat(plan().planned().offset()).as("150 is unread").isEqualTo(1);
  }

  @Test
  void allRead_lastRecordComesAgain_andNewOnesHereAreNotSkipped() {
    there.log(0, 0, "0:100 1:200 2:300");
    here.log(0, 0, "0:100 1:200 2:300 3:310");
    commit(3);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.MOVE);
    assertThat(plan.planned().offset()).isEqualTo(2);
    assertThat(plan.reason()).contains("the last record that group 'a'");
  }

  @Test
  void allRead_nothingAsNewHere_theEnd() {
    there.log(0, 0, "0:100 1:200 2:300");
    here.log(0, 0, "0:100 1:200");
    commit(3);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.MOVE);
    assertThat(plan.planned().offset()).isEqualTo(2);
  }

  @Test
  void unreadRecordsAreNotHereYet_endNeedsAYes() {
    there.log(0, 0, "0:100 1:200 2:300");
    here.log(0, 0, "0:100 1:200");
    commit(2);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.FALLBACK);
    assertThat(plan.planned().offset()).isEqualTo(2);
  }

  @Test
  void recordsGoneThere_firstRecordLeft_needsAYes() {
    there.log(0, 1, "0:100 1:200 2:300");
    here.log(0, 0, "5:100 6:200 7:300");
    commit(0);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.FALLBACK);
    assertThat(plan.planned().offset()).isEqualTo(6);
    assertThat(plan.reason()).contains("below the log start there");
  }

  @Test
  void unreadRecordWithoutTimestamp_logStart_needsAYes() {
    there.log(0, 0, "0:100 1:200 2:-1");
    here.log(0, 1, "0:50 1:100 2:200 3:-1");
    commit(1);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.FALLBACK);
    assertThat(plan.planned().offset()).isEqualTo(1);
    assertThat(plan.reason()).startsWith("1 of the records that group 'a'");
  }

  @Test
  void nothingLeftThere_logStart_needsAYes() {
    there.log(0, 2, "0:100 1:200");
    here.log(0, 0, "0:100 1:200");
    commit(2);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.FALLBACK);
    assertThat(plan.planned().offset()).isZero();
  }

  @Test
  void nothingCommitted_skipped() {
    there.log(0, 0, "0:100").log(1, 0, "0:100");
    here.log(0, 0, "0:100").log(1, 0, "0:100");
    there.offsets.put("a", PlannerLogs.partition(1), 0);

    assertThat(plan().outcome()).isEqualTo(PlanOutcome.SKIP);
    assertThat(plan().reason()).isEqualTo("group 'a' of source 'fixed' has committed nothing here");
  }

  @Test
  void offsetOfAnEarlierTopic_skipped_withWarning() {
    there.log(0, 0, "0:100");
    here.log(0, 0, "0:100");
    there.offsets.put("a", ORDERS, 0, PlannerLogs.OLD_ID);

    assertThat(plan().outcome()).isEqualTo(PlanOutcome.SKIP);
    assertThat(plan().warnings()).anySatisfy(w -> assertThat(w).contains("earlier topic"));
  }

  @Test
  void otherNumberOfPartitions_fails() {
    there.log(0, 0, "0:100").log(1, 0, "0:100");
    here.log(0, 0, "0:100");
    commit(0);

    PlannedReset plan = plan();

    assertThat(plan.outcome()).isEqualTo(PlanOutcome.FAILED);
    assertThat(plan.error().reason()).isEqualTo(ErrorReason.PARTITION_COUNT_CHANGED);
  }

  @Test
  void topicIsGoneThere_skipped() {
    there.log(0, 0, "0:100");
    here.log(0, 0, "0:100");
    commit(0);
    there.source.remove("orders");

    assertThat(plan().outcome()).isEqualTo(PlanOutcome.SKIP);
    assertThat(plan().reason()).isEqualTo("source 'fixed' has no such topic any more");
  }

  @Test
  void topicIsNotHere_skippedUnlessNamed() {
    there.log(0, 0, "0:100");
    commit(0);

    assertThat(plan(false).outcome()).isEqualTo(PlanOutcome.SKIP);
    assertThat(plan(false).reason()).isEqualTo("source 'fixed' has no such topic");
    assertThat(plan(true).outcome()).isEqualTo(PlanOutcome.FAILED);
  }

  @Test
  void otherLogIsBehindItsLeader_fails() {
    there.log(0, 0, "0:100");
    here.log(0, 0, "0:100");
    commit(0);
    there.source.behind(
        ORDERS, WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "the leader is away"));

    assertThat(plan().outcome()).isEqualTo(PlanOutcome.FAILED);
    assertThat(plan().error().reason()).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
  }

  @Test
  void timestampsOfTheBroker_needAYes() {
    there.log(0, 0, "0:100 1:200");
    Path directory = Directories.temporary("whence-reset");
    try (TestLogs.Loaded log =
        new WrittenLog(directory)
            .segment(0, BatchBuilder.batch(0).logAppendTime(500).record(100).record(200).build())
            .load()) {
      here.source.put(ORDERS, log.log(), new TopicId(new UUID(7, 2)));
      commit(1);

      assertThat(plan().outcome()).isEqualTo(PlanOutcome.FALLBACK);
      assertThat(plan().reason()).contains("those of the broker", "would go to 0");
    } finally {
      Directories.delete(directory);
    }
  }

  /** A record that is mirrored between the two looks would be skipped in the other order. */
  @Test
  void logsHere_areTakenBeforeThoseThere() {
    there.log(0, 0, "0:100 1:200");
    here.log(0, 0, "0:100 1:200");
    commit(2);
    FixedLogs growing =
        new FixedLogs() {
          @Override
          public Map<TopicPartition, WhenceException> catchUp(
              Collection<TopicPartition> partitions, Cancellation cancellation) {
            here.log(0, 0, "0:100 1:200 2:300");
            return Map.of();
          }
        };
    growing.put(ORDERS, there.source.snapshot(ORDERS), PlannerLogs.NEW_ID);
    Group group = there.group("a");

    PlannedReset plan =
        here.planner
            .plan(
                new ResetRequest(
                    Group.empty("g"),
                    List.of(ORDERS),
                    true,
                    new ResetTarget.OfSourceGroup(growing, group),
                    IsolationLevel.READ_UNCOMMITTED),
                here.source,
                Cancellation.NONE,
                (partition, fault) -> WhenceException.of(ErrorReason.INTERNAL, "failed"))
            .get(0);

    assertThat(plan.bounds().endOffset()).isEqualTo(2);
  }
}
