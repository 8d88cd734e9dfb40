package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.log.LogEvents;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchedBounds;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedPartitionTest {
  private static final TopicPartition NAME = new TopicPartition("t", 0);

  @TempDir private Path directory;
  private final FakeLeaders leaders = new FakeLeaders();
  private final Lanes idle = new Lanes(List.of(FollowedCluster.idleLane()));
  private final CountDownLatch trimming = new CountDownLatch(1);
  private final CountDownLatch mayTrim = new CountDownLatch(1);

  /** Is told while the log is locked, as when a disk takes its time. */
  private final LogEvents slow =
      new LogEvents() {
        @Override
        public void trimmed(TopicPartition partition, long logStartOffset, String why) {
          trimming.countDown();
          try {
            assertThat(mayTrim.await(1, TimeUnit.MINUTES)).isTrue();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        }
      };

  private TestPartitions maker;
  private FollowedPartition partition;

  @BeforeEach
  void follow() {
    maker =
        new TestPartitions(
            directory,
            new StartOffsets(
                leaders, new StartPoint.Earliest(), InstantSource.system(), TestPartitions.LIMIT),
            idle,
            slow);
    leaders.log(NAME).add(10, 20, 30);
    partition = maker.following(NAME, leaders.log(NAME), 0);
  }

  @AfterEach
  void close() {
    idle.close();
  }

  private static void assertReason(FollowedPartition partition, ErrorReason reason) {
    assertThatThrownBy(partition::snapshot)
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  /** The lane had an answer under way when the cut was asked for. */
  @Test
  void cutLog_answersNothingUntilFetchedAgain_whateverCameInBetween() {
    int before = partition.cuts();
    assertThat(partition.refetchFrom(0)).isTrue();
    assertThat(partition.refetchFrom(0)).as("it is under way").isFalse();
    assertThat(partition.snapshot().highWatermark()).as("nothing is cut yet").isEqualTo(3);
    FakeLeaders.Log leader = leaders.log(NAME);
    partition.unchanged(
        new FetchedBounds(leader.start, leader.end, leader.end, 0, System.nanoTime()));

    assertThat(partition.position().nextOffset()).isZero();

    assertThat(partition.cuts()).isGreaterThan(before);
    assertReason(partition, ErrorReason.NOT_READY);
    TestPartitions.catchUp(partition, leader);
    assertThat(partition.snapshot().highWatermark()).isEqualTo(3);
    assertThat(partition.refetchFrom(0)).as("it is over").isTrue();
  }

  /** The first answer of a leader that comes back brings the records, and then that it is all. */
  @Test
  void confirmedAgain_thoseWhoWatchLook_whenItIsAnsweredFor() {
    TopicPartition name = new TopicPartition("late", 0);
    FakeLeaders.Log leader = leaders.log(name);
    FollowedPartition late = maker.make(name);
    late.unchanged(new FetchedBounds(0, 0, 0, 0, System.nanoTime() - TimeUnit.MINUTES.toNanos(1)));
    assertReason(late, ErrorReason.LEADER_UNAVAILABLE);
    List<Boolean> looks = new ArrayList<>();
    late.log().watch(40, () -> looks.add(isAnswered(late)));
    leader.add(40);

    TestPartitions.catchUp(late, leader);

    assertThat(looks).endsWith(true);
    looks.clear();
    TestPartitions.catchUp(late, leader);
    assertThat(looks).as("it was answered for all the time").isEmpty();
  }

  @Test
  void firstEnd_thoseWhoWatchLook_whenItIsAnsweredFor() {
    TopicPartition name = new TopicPartition("new", 0);
    FollowedPartition first = maker.make(name);
    List<Boolean> looks = new ArrayList<>();
    first.log().watch(40, () -> looks.add(isAnswered(first)));
    FakeLeaders.Log leader = leaders.log(name);
    leader.add(50);

    TestPartitions.catchUp(first, leader);

    assertThat(looks).endsWith(true);
  }

  /** Each leader that is asked for its end says so, too. */
  @Test
  void confirmedByItsEnd_thoseWhoWatchLook() {
    FollowedPartition late = maker.make(new TopicPartition("late", 0));
    late.unchanged(new FetchedBounds(0, 0, 0, 0, System.nanoTime() - TimeUnit.MINUTES.toNanos(1)));
    List<Boolean> looks = new ArrayList<>();
    late.log().watch(40, () -> looks.add(isAnswered(late)));

    late.completeAsOf(System.nanoTime());

    assertThat(looks).containsExactly(true);
  }

  @Test
  void faultThatLasts_thoseWhoWatchLookAgainAndAgain_butNotAtOneThatPasses() {
    List<Boolean> looks = new ArrayList<>();
    partition.log().watch(40, () -> looks.add(true));
    partition.tellOfLastingFault();
    partition.failed(new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "is away"));
    partition.tellOfLastingFault();
    assertThat(looks).isEmpty();

    partition.failed(new FetchFault(ErrorReason.NOT_AUTHORIZED, "may not be read"));
    partition.tellOfLastingFault();
    partition.tellOfLastingFault();

    assertThat(looks).hasSize(2);
  }

  @Test
  void neverFollowed_failsWithAReasonThatLasts_orIsNotReady() {
    FollowedPartition first = maker.make(new TopicPartition("new", 0));
    assertReason(first, ErrorReason.NOT_READY);
    first.failed(new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "is away"));
    assertReason(first, ErrorReason.NOT_READY);
    first.failed(new FetchFault(ErrorReason.UNSUPPORTED_FORMAT, "is too old"));
    assertReason(first, ErrorReason.UNSUPPORTED_FORMAT);
  }

  @Test
  void logThatIsBeingWritten_isNotWaitedForBeyondTheLimit() throws Exception {
    FetchedBounds bounds = new FetchedBounds(1, 3, 3, 0, System.nanoTime());
    Thread lane = new Thread(() -> partition.unchanged(bounds));
    lane.start();
    try {
      assertThat(trimming.await(1, TimeUnit.MINUTES)).isTrue();
      LeaderOffset end = new LeaderOffset(9, -1, 0);
      assertThat(CompletableFuture.supplyAsync(() -> isReached(end)).get(20, TimeUnit.SECONDS))
          .isFalse();
    } finally {
      mayTrim.countDown();
      lane.join();
    }
  }

  private boolean isReached(LeaderOffset end) {
    try {
      return partition.awaitEnd(end, System.nanoTime(), Cancellation.NONE);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isAnswered(FollowedPartition partition) {
    try {
      partition.snapshot();
      return true;
    } catch (WhenceException e) {
      return false;
    }
  }
}
