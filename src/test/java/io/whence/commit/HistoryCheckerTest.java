package io.whence.commit;

import static io.whence.commit.Entries.allowing;
import static io.whence.commit.Entries.entry;
import static io.whence.commit.GroupsDir.START_MS;
import static io.whence.commit.GroupsDir.TOPIC;
import static io.whence.commit.GroupsDir.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.commit.RecordedOp.Answer;
import io.whence.commit.RecordedOp.Ask;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A history that is true passes, and each of the lies that can be told of it is found out. */
class HistoryCheckerTest {
  private static final int COMMIT_FIVE = 0;
  private static final int READ_FIVE = 1;
  private static final int COMMIT_SEVEN = 2;
  private static final int REFUSED_SIX = 3;
  private static final int READ_SEVEN = 4;
  private static final int REQUEST = 5;
  private static final int REPLAY = 6;
  private static final int DRY_RUN = 7;
  private static final int DELETE = 8;
  private static final int DELETE_UNKNOWN = 9;
  private static final int READ_NOTHING = 10;

  private static SequentialGroups rules;
  private static List<RecordedOp> recorded;
  private static List<LoggedChange> written;
  private final List<RecordedOp> ops = new ArrayList<>();
  private final List<LoggedChange> log = new ArrayList<>();

  @BeforeAll
  static void recordATrueHistory(@TempDir Path path) {
    try (GroupsDir dir = GroupsDir.open(path).withTopic(TOPIC, 1, 100)) {
      CommitTraffic traffic = new CommitTraffic(START_MS, List.of("g"));
      dir.reopen(
          new GroupOptions(traffic, Duration.ofDays(7), 9, Duration.ofHours(1), 9, 9, 9_999));
      rules = new SequentialGroups(dir.source.topic(TOPIC).topicId().orElseThrow(), 1, 100);
      asks().forEach(ask -> traffic.call(dir.offsets, ask));
      recorded = traffic.recorded();
      int partition = OffsetsTopic.partitionFor("g", OffsetsTopic.PARTITION_COUNT);
      written =
          LoggedChange.read(
              dir.source.snapshot(new TopicPartition(OffsetsTopic.NAME, partition)), START_MS);
    }
  }

  private static List<Ask> asks() {
    CommitRequest named = request("g", "id", allowing(entry(0, 3), true, false));
    CommitRequest dry =
        new CommitRequest(
            "g", List.of(entry(0, 50)), "", false, true, "tester", ChangeCause.COMMIT);
    return List.of(
        new RecordedOp.Commit(request("g", entry(0, 5))),
        new RecordedOp.Read("g"),
        new RecordedOp.Commit(request("g", entry(0, 7))),
        new RecordedOp.Commit(request("g", entry(0, 6))),
        new RecordedOp.Read("g"),
        new RecordedOp.Commit(named),
        new RecordedOp.Commit(named),
        new RecordedOp.Commit(dry),
        new RecordedOp.Delete("g", List.of(new TopicPartition(TOPIC, 0))),
        new RecordedOp.DeleteGroup("g"),
        new RecordedOp.Read("g"),
        // Refused in either order: the same answers, but not at the same time.
        new RecordedOp.Commit(request("g", "one", entry(0, 500))),
        new RecordedOp.Commit(request("g", "two", entry(0, 500))));
  }

  @BeforeEach
  void copyTheHistory() {
    ops.addAll(recorded);
    log.addAll(written);
  }

  private List<String> objections() {
    return HistoryChecker.objections(rules, START_MS, ops, log);
  }

  private void answer(int at, Answer answer) {
    RecordedOp op = ops.get(at);
    ops.set(at, new RecordedOp(op.id(), op.call(), op.end(), op.ask(), answer));
  }

  /** Lets a call take from the first moment to the last. */
  private void stretch(int at) {
    RecordedOp op = ops.get(at);
    ops.set(at, new RecordedOp(op.id(), 0, Long.MAX_VALUE, op.ask(), op.answer()));
  }

  @Test
  void trueHistory_passes() {
    assertThat(ops).hasSize(13);
    assertThat(log).hasSize(6);
    assertThat(objections()).isEmpty();
  }

  @Test
  void anyCallThatTakesLonger_passes() {
    for (int i = 0; i < ops.size(); i++) {
      stretch(i);
      assertThat(objections()).isEmpty();
    }
  }

  @Test
  void lostCommit_isFoundOut() {
    log.remove(1);
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void lostLastChange_isFoundOut() {
    log.remove(log.size() - 1);
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void doubledCommit_isFoundOut() {
    log.add(1, log.get(0));
    assertThat(objections().toString()).contains("second time");
  }

  @Test
  void requestThatIsMadeTwice_isFoundOut() {
    LoggedChange first = log.get(2);
    log.add(
        3,
        new LoggedChange(
            first.position() + 2, ops.get(REPLAY).id(), "g", first.offsets(), first.requestId()));
    answer(REPLAY, ops.get(REQUEST).answer());
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void replayWithAnotherResult_isFoundOut() {
    answer(
        REPLAY,
        new RecordedOp.Results(
            List.of(new RecordedOp.Verdict(CommitOutcome.COMMITTED, 5, 3, "")), true));
    assertThat(objections().toString()).contains("nothing explains");
  }

  @Test
  void reorderedCommits_areFoundOut() {
    Collections.swap(log, 0, 1);
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void orderOfTheLogAgainstThatOfTheCalls_isFoundOut() {
    Collections.swap(log, log.size() - 2, log.size() - 1);
    assertThat(objections().toString()).contains("began at state");
  }

  @Test
  void staleRead_isFoundOut() {
    Answer five = ops.get(READ_FIVE).answer();
    answer(READ_SEVEN, five);
    assertThat(objections().toString()).contains("nothing explains");
  }

  @Test
  void readThatGoesBack_isFoundOut() {
    // Each of these two reads is good for itself while the commit of seven is under way.
    stretch(COMMIT_SEVEN);
    Answer five = ops.get(READ_FIVE).answer();
    Answer seven = ops.get(READ_SEVEN).answer();
    RecordedOp first = ops.get(READ_FIVE);
    ops.remove(REFUSED_SIX);
    answer(READ_SEVEN - 1, five);
    assertThat(objections()).isEmpty();
    ops.set(READ_FIVE, new RecordedOp(first.id(), first.call(), first.end(), first.ask(), seven));
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void readOfWhatNobodyCommitted_isFoundOut() {
    answer(READ_NOTHING, ops.get(READ_SEVEN).answer());
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void refusalForNoReason_isFoundOut() {
    answer(
        REFUSED_SIX,
        new RecordedOp.Results(
            List.of(new RecordedOp.Verdict(CommitOutcome.FAILED, 7, 7, "CONFLICT")), false));
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void groupSaidToBeGoneTooEarly_isFoundOut() {
    answer(READ_SEVEN, new RecordedOp.Seen(Map.of()));
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void failedCallThatIsInTheLog_isFoundOut() {
    answer(COMMIT_SEVEN, new RecordedOp.DiskFailed());
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void dryRunThatWrites_isFoundOut() {
    LoggedChange last = log.get(3);
    log.add(
        3, new LoggedChange(last.position(), ops.get(DRY_RUN).id(), "g", log.get(1).offsets(), ""));
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void idThatNobodyElseUsed_isFoundOut() {
    answer(REPLAY, new RecordedOp.Refused(ErrorReason.REQUEST_ID_REUSED));
    assertThat(objections().toString()).contains("nobody else used");
  }

  @Test
  void deletionThatTellsOfAnotherOffset_isFoundOut() {
    answer(DELETE, new RecordedOp.Deleted(List.of(7L)));
    assertThat(objections()).isNotEmpty();
    answer(DELETE, new RecordedOp.Deleted(List.of(3L)));
    assertThat(objections()).isEmpty();
    answer(DELETE_UNKNOWN, new RecordedOp.DeletedAll(1));
    assertThat(objections()).isNotEmpty();
  }

  @Test
  void otherOffsetInTheLog_isFoundOut() {
    LoggedChange five = log.get(COMMIT_FIVE);
    log.set(
        0,
        new LoggedChange(
            five.position(), five.op(), five.group(), log.get(1).offsets(), five.requestId()));
    assertThat(objections()).isNotEmpty();
  }
}
