package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchedBounds;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatchUpTest {
  private static final TopicPartition NAME = new TopicPartition("t", 0);

  @TempDir private Path directory;
  private final FakeLeaders leaders = new FakeLeaders();
  private final Lanes idle = new Lanes(List.of(FollowedCluster.idleLane()));
  private FollowedPartition partition;

  @BeforeEach
  void follow() {
    TestPartitions maker =
        new TestPartitions(
            directory,
            new StartOffsets(
                leaders, new StartPoint.Earliest(), InstantSource.system(), TestPartitions.LIMIT),
            idle);
    leaders.log(NAME).add(10, 20, 30);
    partition = maker.following(NAME, leaders.log(NAME), 0);
    partition.unchanged(new FetchedBounds(0, 3, 3, FakeLeaders.EPOCH, System.nanoTime()));
  }

  @AfterEach
  void close() {
    idle.close();
  }

  /** Returns why it could not catch up; empty if it has. */
  private Optional<ErrorReason> failure() {
    CatchUp catchUp = new CatchUp(leaders, TestPartitions.LIMIT, Cancellation.NONE);
    catchUp.add(partition);
    Map<Integer, ErrorReason> failures = new TreeMap<>();
    catchUp.await().forEach((name, failure) -> failures.put(name.partition(), failure.reason()));
    return Optional.ofNullable(failures.get(NAME.partition()));
  }

  @Test
  void allThatTheLeaderHas_isFollowed() {
    assertThat(failure()).isEmpty();
    leaders.log(NAME).add(40);
    assertThat(failure()).as("not fetched yet").contains(ErrorReason.LEADER_UNAVAILABLE);
    TestPartitions.catchUp(partition, leaders.log(NAME), FakeLeaders.EPOCH);
    assertThat(failure()).isEmpty();
  }

  /** Leaders are asked by name, and a log never gets shorter while one leads it. */
  @Test
  void endBelowWhatWasThere_isOfAnotherTopic_andConfirmsNothing() {
    leaders.log(NAME).end = 0;
    long before = partition.stalenessMs();

    assertThat(failure()).contains(ErrorReason.LEADER_UNAVAILABLE);

    assertThat(partition.stalenessMs()).isGreaterThanOrEqualTo(before);
  }

  @Test
  void endOfAnEarlierEpoch_isOfAnotherTopic() {
    partition.unchanged(new FetchedBounds(0, 3, 3, FakeLeaders.EPOCH + 1, System.nanoTime()));
    leaders.log(NAME).end = 1_000;
    assertThat(failure()).contains(ErrorReason.LEADER_UNAVAILABLE);
    leaders.log(NAME).end = 3;
    assertThat(failure()).contains(ErrorReason.LEADER_UNAVAILABLE);
  }

  @Test
  void noRoomToWait_isToldOfThePartition_andNobodyIsAsked() {
    WhenceException full = WhenceException.of(ErrorReason.OVERLOADED, "full");
    ClusterWait.Waiter waiter =
        new ClusterWait.Waiter() {
          @Override
          public void waitBegins() {
            throw full;
          }

          @Override
          public void waitEnds() {
            throw new IllegalStateException("it never began");
          }
        };

    ClusterWait.run(() -> assertThat(failure()).contains(ErrorReason.OVERLOADED), waiter);
    assertThat(leaders.asked()).isEmpty();

    partition.failed(new FetchFault(ErrorReason.NOT_READY, "moves"));
    ClusterWait.run(() -> assertThat(failure()).contains(ErrorReason.NOT_READY), waiter);
  }

  @Test
  void whatPasses_isToldAsWhatPasses() {
    partition.failed(new FetchFault(ErrorReason.NOT_READY, "moves"));
    assertThat(failure()).contains(ErrorReason.NOT_READY);
  }
}
