package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.model.TimestampType;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.source.kafka.fetch.FetchFault;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerAnswersTest {
  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final TopicPartition C = new TopicPartition("t", 2);
  private static final TopicPartition D = new TopicPartition("t", 3);

  @TempDir private Path directory;
  private final FakeLeaders leaders = new FakeLeaders();
  private final Map<TopicPartition, FollowedPartition> partitions = new HashMap<>();
  private final Lanes idle = new Lanes(List.of(FollowedCluster.idleLane()));
  private final List<Runnable> tasks = new ArrayList<>();
  private TestPartitions maker;

  @BeforeEach
  void make() {
    maker =
        new TestPartitions(
            directory,
            new StartOffsets(
                leaders, new StartPoint.Earliest(), InstantSource.system(), TestPartitions.LIMIT),
            idle);
    for (TopicPartition name : List.of(A, B, C, D)) {
      partitions.put(name, maker.make(name));
    }
  }

  @AfterEach
  void close() {
    idle.close();
  }

  private List<ClusterAnswer> ask(ClusterQuestion... questions) {
    return new BrokerAnswers(
            leaders,
            TestPartitions.LIMIT,
            IsolationLevel.READ_UNCOMMITTED,
            Cancellation.NONE,
            tasks::add)
        .answer(List.of(questions), partitions::get);
  }

  private static ClusterQuestion at(TopicPartition partition, long ms) {
    return new ClusterQuestion(partition, new Position.AtOrAfter(ms));
  }

  private static ClusterQuestion of(TopicPartition partition, Position position) {
    return new ClusterQuestion(partition, position);
  }

  @Test
  void batch_answeredInOrder_endsBeforeTimes() {
    leaders.log(A).add(10, 30, 20);
    leaders.log(B).add(5).start = 1;
    leaders.log(C).start = 4;
    leaders.log(C).end = 4;
    List<ClusterAnswer> answers =
        ask(
            at(A, 15),
            at(A, 31),
            at(B, 1),
            at(C, 1),
            of(A, new Position.MaxTimestamp()),
            of(A, new Position.Earliest()),
            of(C, new Position.Latest()),
            at(A, 15));

    LogBounds bounds = new LogBounds(0, 3);
    RecordStamp record = new RecordStamp(1, 30, TimestampType.UNKNOWN, 5);
    Resolution found = new Resolution(Outcome.FOUND, 1, record, 0, bounds, false, Origin.BROKER);
    assertThat(answers.stream().map(ClusterAnswer::resolution))
        .containsExactly(
            found,
            new Resolution(Outcome.AFTER_END, 0, null, 0, bounds, false, Origin.BROKER),
            new Resolution(Outcome.EMPTY, 0, null, 0, new LogBounds(1, 1), true, Origin.BROKER),
            new Resolution(Outcome.EMPTY, 0, null, 0, new LogBounds(4, 4), true, Origin.BROKER),
            found,
            new Resolution(Outcome.FOUND, 0, null, 0, bounds, false, Origin.BROKER),
            new Resolution(Outcome.FOUND, 4, null, 0, new LogBounds(4, 4), false, Origin.BROKER),
            found);
    assertThat(leaders.asked().subList(0, 2))
        .as("bounds first, all partitions at once")
        .extracting(question -> question.get(A))
        .containsExactlyInAnyOrder(new Position.Earliest(), new Position.Latest());
    assertThat(leaders.asked()).as("largest times, and three different lookups of one").hasSize(6);
  }

  @Test
  void negativeTime_isTheFirstOfAll() {
    leaders.log(A).add(10);
    assertThat(ask(at(A, -5)).get(0).resolution().offset()).isZero();
    assertThat(leaders.asked().get(3)).containsValue(new Position.AtOrAfter(0));
  }

  @Test
  void tooManyTimesOfOnePartition_failAlone() {
    leaders.log(A).add(10, 30, 20);
    leaders.log(B).add(10);
    int more = BrokerAnswers.MAX_TIMES + 5;
    ClusterQuestion[] questions = new ClusterQuestion[more + 1];
    for (int i = 0; i < more; i++) {
      questions[i] = at(A, 10 + i);
    }
    questions[more] = at(B, 5);
    List<ClusterAnswer> answers = ask(questions);

    assertThat(answers.subList(0, BrokerAnswers.MAX_TIMES)).noneMatch(BrokerAnswersTest::isTooMany);
    assertThat(answers.subList(BrokerAnswers.MAX_TIMES, more))
        .as("those that were asked last")
        .allMatch(BrokerAnswersTest::isTooMany);
    assertThat(answers.get(more).resolution().offset()).isZero();
    assertThat(leaders.asked()).hasSize(3 + BrokerAnswers.MAX_TIMES);
  }

  private static boolean isTooMany(ClusterAnswer answer) {
    try {
      answer.resolution();
      return false;
    } catch (WhenceException e) {
      return e.reason() == ErrorReason.LIMIT_EXCEEDED;
    }
  }

  @Test
  void maximumBelowTheLogStart_isNoAnswer() {
    leaders.log(A).add(10, 90, 20).start = 2;
    assertThatThrownBy(() -> ask(of(A, new Position.MaxTimestamp())).get(0).resolution())
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.NOT_READY));
    FollowedPartition followed = maker.following(new TopicPartition("u", 0), leaders.log(A), 3);
    partitions.put(A, followed);
    assertThatThrownBy(() -> ask(of(A, new Position.MaxTimestamp())).get(0).resolution())
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.NOT_FOLLOWED));
  }

  @Test
  void positionsThatBrokersDontKnow_failWithTheStateOfThePartition() {
    leaders.log(A).add(10, 20);
    for (Position position : List.of(new Position.AtOrBefore(15), new Position.AllAfter(15))) {
      assertThatThrownBy(() -> ask(of(A, position)).get(0).resolution())
          .isInstanceOfSatisfying(
              WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.NOT_READY));
    }
    assertThat(leaders.asked()).isEmpty();
  }

  @Test
  void eachPartition_failsAlone() {
    leaders.log(D).add(10);
    leaders.fail(A, new TopicAuthorizationException("no right"));
    leaders.fail(B, new UnknownTopicOrPartitionException("gone"));
    leaders.hang(C);
    List<ClusterAnswer> answers = ask(at(A, 1), at(B, 1), at(C, 1), at(D, 1));

    assertThat(answers.subList(0, 3).stream().map(BrokerAnswersTest::reason))
        .containsExactly(
            ErrorReason.NOT_AUTHORIZED,
            ErrorReason.LEADER_UNAVAILABLE,
            ErrorReason.LEADER_UNAVAILABLE);
    assertThat(answers.get(3).resolution().offset()).isZero();
  }

  private static ErrorReason reason(ClusterAnswer answer) {
    try {
      throw new AssertionError(answer.resolution());
    } catch (WhenceException e) {
      return e.reason();
    }
  }

  @Test
  void partitionWithoutLeader_orThatMayNotBeRead_isNotAskedAbout() {
    leaders.log(A).add(10);
    leaders.log(B).add(10);
    leaders.log(C).add(10);
    partitions.get(A).failed(new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "no leader"));
    partitions.get(B).failed(new FetchFault(ErrorReason.NOT_AUTHORIZED, "no READ"));
    List<ClusterAnswer> answers = ask(at(A, 1), at(B, 1), at(C, 1));

    assertThat(reason(answers.get(0))).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
    assertThat(reason(answers.get(1))).isEqualTo(ErrorReason.NOT_AUTHORIZED);
    assertThatThrownBy(() -> answers.get(1).resolution()).hasMessageContaining("no READ");
    assertThat(answers.get(2).resolution().outcome()).isEqualTo(Outcome.FOUND);
    assertThat(leaders.asked())
        .isNotEmpty()
        .allSatisfy(question -> assertThat(question).containsOnlyKeys(C));
  }

  @Test
  void foundInWhatIsFollowed_provesTheHead() {
    FakeLeaders.Log log = leaders.log(A).add(10, 20, 30, 40);
    FollowedPartition followed = maker.following(new TopicPartition("u", 0), log, 2);
    partitions.put(A, followed);
    ask(at(A, 15));
    assertThat(followed.log().snapshot().head().belowMs()).isEqualTo(Long.MAX_VALUE);
    ask(at(A, 99));
    assertThat(followed.log().snapshot().head().belowMs())
        .as("nothing found proves nothing")
        .isEqualTo(Long.MAX_VALUE);

    ask(at(A, 25));
    assertThat(followed.log().snapshot().head().belowMs())
        .as("left to others: it may wait for a disk")
        .isEqualTo(Long.MAX_VALUE);
    runTasks();
    assertThat(followed.log().snapshot().head().belowMs()).isEqualTo(25);
    ask(at(A, 35));
    runTasks();
    assertThat(followed.log().snapshot().head().belowMs()).as("never looser").isEqualTo(25);
  }

  @Test
  void foundBeforeTheLogWasCut_provesNothing() {
    FakeLeaders.Log log = leaders.log(A).add(10, 20, 30, 40);
    FollowedPartition followed = maker.following(A, log, 2);
    partitions.put(A, followed);
    ask(at(A, 25));

    followed.refetchFrom(3);
    TestPartitions.catchUp(followed, log);
    runTasks();

    assertThat(followed.log().snapshot().head().belowMs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void topicCreatedAnew_isNoAnswer_andProvesNothing() {
    FollowedPartition followed = maker.following(A, leaders.log(A).add(10, 20, 30, 40), 2);
    partitions.put(A, followed);
    partitions.put(B, maker.make(new TopicPartition("u", 0)));
    leaders.log(B).add(10);
    leaders.createAnew("t");

    List<ClusterAnswer> answers = ask(at(A, 25), at(B, 5), of(A, new Position.Latest()));
    runTasks();

    assertThat(reason(answers.get(0))).isEqualTo(ErrorReason.STALE_TOPIC);
    assertThat(answers.get(1).resolution().outcome()).isEqualTo(Outcome.FOUND);
    assertThat(reason(answers.get(2))).isEqualTo(ErrorReason.STALE_TOPIC);
    assertThat(followed.log().snapshot().head().belowMs()).isEqualTo(Long.MAX_VALUE);
  }

  private void runTasks() {
    tasks.forEach(Runnable::run);
    tasks.clear();
  }

  @Test
  void leaderFindsNothing_whereTheCopyHasSomething_isNoAnswer() {
    FakeLeaders.Log log = leaders.log(A).add(10, 20, 30, 40);
    partitions.put(A, maker.following(A, log, 2));
    leaders.log(B).add(10, 20, 30, 40);
    leaders.silence(A);
    leaders.silence(B);
    List<ClusterAnswer> answers =
        ask(at(A, 25), at(A, 40), at(A, 41), at(B, 25), at(B, 41), at(A, -5));

    assertThat(reason(answers.get(0))).isEqualTo(ErrorReason.NOT_FOLLOWED);
    assertThatThrownBy(() -> answers.get(0).resolution())
        .hasMessageContaining("at or after 25")
        .hasMessageContaining("its leader found none");
    assertThat(reason(answers.get(1))).isEqualTo(ErrorReason.NOT_FOLLOWED);
    assertThat(answers.get(2).resolution().outcome()).isEqualTo(Outcome.AFTER_END);
    assertThat(reason(answers.get(3)))
        .as("its largest time tells, where nothing is followed yet")
        .isEqualTo(ErrorReason.NOT_FOLLOWED);
    assertThat(answers.get(4).resolution().outcome()).isEqualTo(Outcome.AFTER_END);
    assertThat(reason(answers.get(5))).isEqualTo(ErrorReason.NOT_FOLLOWED);
  }

  @Test
  void nobodyWaits_ends() {
    leaders.hang(A);
    WhenceException gone = WhenceException.of(ErrorReason.DEADLINE_EXCEEDED, "gone");
    assertThatThrownBy(
            () ->
                new BrokerAnswers(
                        leaders,
                        TestPartitions.LIMIT,
                        IsolationLevel.READ_UNCOMMITTED,
                        () -> {
                          throw gone;
                        },
                        tasks::add)
                    .answer(List.of(at(A, 1)), partitions::get))
        .isSameAs(gone);
  }
}
