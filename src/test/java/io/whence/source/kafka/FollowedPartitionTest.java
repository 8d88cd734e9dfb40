package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.FetchedBounds;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedPartitionTest {
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
  }

  @AfterEach
  void close() {
    idle.close();
  }

  private void assertNotReady() {
    assertThatThrownBy(() -> partition.snapshot())
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.NOT_READY));
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
    assertNotReady();
    TestPartitions.catchUp(partition, leader);
    assertThat(partition.snapshot().highWatermark()).isEqualTo(3);
    assertThat(partition.refetchFrom(0)).as("it is over").isTrue();
  }
}
