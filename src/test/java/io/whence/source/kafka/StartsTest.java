package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartsTest {
  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final TopicPartition C = new TopicPartition("t", 2);

  @TempDir private Path directory;
  private final FakeLeaders leaders = new FakeLeaders();
  private final ManualClock clock = new ManualClock(100_000);
  private final List<FollowedPartition> followed = new ArrayList<>();
  private final Lanes idle = new Lanes(List.of(FollowedCluster.idleLane()));

  @AfterEach
  void close() {
    idle.close();
  }

  private final class Recorder implements Follower {
    @Override
    public void follow(FollowedPartition partition) {
      followed.add(partition);
    }

    @Override
    public void unfollow(FollowedPartition partition) {
      followed.remove(partition);
    }
  }

  private StartOffsets rule(StartPoint point) {
    return new StartOffsets(leaders, point, clock, TestPartitions.LIMIT);
  }

  private Starts starts(StartPoint point) {
    return new Starts(leaders, rule(point), new Recorder(), Runnable::run);
  }

  private FollowedPartition partition(TopicPartition name, StartPoint point) {
    return new TestPartitions(directory, rule(point), idle).make(name);
  }

  @Test
  void earliest_followsAtOnce() {
    StartPoint point = new StartPoint.Earliest();
    FollowedPartition partition = partition(A, point);
    starts(point).follow(partition);

    assertThat(followed).containsExactly(partition);
    assertThat(partition.position().nextOffset()).isZero();
    assertThat(leaders.asked()).isEmpty();
  }

  @Test
  void latest_followsFromTheEnd() {
    StartPoint point = new StartPoint.Latest();
    leaders.log(A).add(1, 2, 3);
    leaders.log(B).add(1);
    Starts starts = starts(point);
    FollowedPartition a = partition(A, point);
    FollowedPartition b = partition(B, point);
    FollowedPartition c = partition(C, point);
    List.of(a, b, c).forEach(starts::follow);
    assertThat(followed).isEmpty();

    starts.ask();
    assertThat(followed).containsExactlyInAnyOrder(a, b, c);
    assertThat(a.position().nextOffset()).isEqualTo(3);
    assertThat(b.position().nextOffset()).isEqualTo(1);
    assertThat(c.position().nextOffset()).isZero();
    assertThat(leaders.asked()).as("one question for each of two leaders").hasSize(2);
    starts.ask();
    assertThat(leaders.asked()).hasSize(2);
  }

  @Test
  void ago_followsFromTheFirstThatIsNoOlder_andKnowsWhatLiesBefore() {
    StartPoint point = new StartPoint.Ago(Duration.ofSeconds(10));
    leaders.log(A).add(80_000, 85_000, 90_000, 70_000);
    leaders.log(C).add(89_999);
    FollowedPartition a = partition(A, point);
    FollowedPartition c = partition(C, point);
    Starts starts = starts(point);
    List.of(a, c).forEach(starts::follow);
    starts.ask();

    assertThat(a.position().nextOffset()).isEqualTo(2);
    assertThat(c.position().nextOffset()).as("the end").isEqualTo(1);
    assertThat(leaders.asked())
        .as("ends before times")
        .extracting(question -> question.get(A))
        .containsExactly(new Position.Latest(), new Position.AtOrAfter(90_000));
    TestPartitions.catchUp(a, leaders.log(A));
    assertThat(a.log().snapshot().head().belowMs()).isEqualTo(90_000);
  }

  @Test
  void logThatHasSomething_goesOn() {
    StartPoint point = new StartPoint.Latest();
    FakeLeaders.Log log = leaders.log(A).add(1, 2, 3);
    FollowedPartition partition =
        new TestPartitions(directory, rule(point), idle).following(A, log, 1);
    log.add(4, 5);
    Starts starts = starts(point);
    starts.follow(partition);

    assertThat(followed).containsExactly(partition);
    assertThat(partition.position().nextOffset()).isEqualTo(3);
    assertThat(leaders.asked()).isEmpty();
  }

  @Test
  void whatFails_saysWhy_isTriedAgain_andKeepsNobodyWaiting() {
    StartPoint point = new StartPoint.Latest();
    TopicPartition d = new TopicPartition("t", 3);
    leaders.log(A).add(1, 2);
    leaders.loseLeader(B);
    leaders.fail(C, new TopicAuthorizationException("no right"));
    leaders.hang(d);
    Starts starts = starts(point);
    List<FollowedPartition> all =
        List.of(A, B, C, d).stream().map(p -> partition(p, point)).toList();
    all.forEach(starts::follow);
    starts.ask();

    assertThat(followed).containsExactly(all.get(0));
    assertThat(all.get(1).fault())
        .get()
        .extracting(FetchFault::reason)
        .isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
    assertThat(all.get(1).fault().orElseThrow().message()).contains("has no leader");
    assertThat(all.get(2).fault())
        .get()
        .extracting(FetchFault::reason)
        .isEqualTo(ErrorReason.NOT_AUTHORIZED);
    assertThat(leaders.asked())
        .as("not about the one without leader")
        .allSatisfy(question -> assertThat(question).doesNotContainKey(B));

    int before = leaders.asked().size();
    starts.ask();
    assertThat(leaders.asked().subList(before, leaders.asked().size()))
        .as("not about the one that is asked about already")
        .allSatisfy(question -> assertThat(question).containsOnlyKeys(C));
    leaders.heal();
    starts.ask();
    assertThat(followed).containsExactlyInAnyOrderElementsOf(all.subList(0, 3));
    assertThat(all.get(1).fault()).isEmpty();
  }

  @Test
  void unfollowedWhileAsked_isNotFollowed() {
    StartPoint point = new StartPoint.Latest();
    leaders.log(A).add(1, 2);
    FollowedPartition partition = partition(A, point);
    List<Runnable> tasks = new ArrayList<>();
    Starts starts = new Starts(leaders, rule(point), new Recorder(), tasks::add);
    starts.follow(partition);
    starts.ask();
    starts.unfollow(partition);
    tasks.forEach(Runnable::run);

    assertThat(tasks).hasSize(1);
    assertThat(followed).isEmpty();
    assertThat(partition.position().nextOffset()).isZero();
  }

  @Test
  void outOfRange_beginsAnewByTheSameRule() {
    StartPoint point = new StartPoint.Latest();
    FakeLeaders.Log log = leaders.log(A).add(1, 2, 3);
    FollowedPartition partition =
        new TestPartitions(directory, rule(point), idle).following(A, log, 3);
    log.add(4, 5, 6);
    log.start = 5;
    partition.outOfRange();

    assertThat(partition.position().nextOffset()).isEqualTo(6);
    assertThat(partition.isCaughtUp()).isFalse();
  }
}
