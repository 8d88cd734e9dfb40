package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.TopicPartition;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadProofsTest {
  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);

  @TempDir private Path directory;
  private final FakeLeaders leaders = new FakeLeaders();
  private final Lanes idle = new Lanes(List.of(FollowedCluster.idleLane()));
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private TestPartitions maker;

  @BeforeEach
  void make() {
    maker =
        new TestPartitions(
            directory,
            new StartOffsets(
                leaders, new StartPoint.Latest(), InstantSource.system(), TestPartitions.LIMIT),
            idle);
  }

  @AfterEach
  void close() {
    idle.close();
  }

  private HeadProofs proofs(List<FollowedPartition> partitions) {
    return new HeadProofs(leaders, () -> partitions, tasks::add, TestPartitions.LIMIT);
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private static long belowMs(FollowedPartition partition) {
    return Objects.requireNonNull(partition.log().snapshot().head()).belowMs();
  }

  @Test
  void manyPartitions_looseAfterOneRound_exactAfterSome() {
    List<FollowedPartition> all =
        IntStream.range(0, 5)
            .mapToObj(
                i -> {
                  TopicPartition name = new TopicPartition("t", i);
                  FakeLeaders.Log log = leaders.log(name);
                  IntStream.range(0, 20).forEach(n -> log.add(1_000_000 + n * 1_000L + i));
                  return maker.following(name, log, 10);
                })
            .toList();
    HeadProofs proofs = proofs(all);
    proofs.look();
    assertThat(leaders.asked()).singleElement().satisfies(q -> assertThat(q).hasSize(5));
    proofs.look();
    assertThat(leaders.asked()).as("one round at a time").hasSize(1);
    tasks.remove().run();
    assertThat(all).allSatisfy(p -> assertThat(belowMs(p)).isBetween(1_009_001L, 1_019_004L));

    runTasks();
    for (int i = 0; i < 5; i++) {
      assertThat(belowMs(all.get(i))).isEqualTo(1_009_001 + i);
    }
    int before = leaders.asked().size();
    proofs.look();
    assertThat(leaders.asked()).as("nothing is left to ask").hasSize(before);
  }

  @Test
  void partitionWithoutFollowedRecords_waits() {
    FakeLeaders.Log log = leaders.log(A).add(10, 20);
    FollowedPartition partition = maker.following(A, log, 2);
    HeadProofs proofs = proofs(List.of(partition));
    proofs.look();
    assertThat(leaders.asked()).isEmpty();

    log.add(30);
    TestPartitions.catchUp(partition, log);
    proofs.look();
    runTasks();
    assertThat(belowMs(partition)).isEqualTo(21);
  }

  @Test
  void leaderThatFails_isAskedAgainAtTheNextLook_othersGoOn() {
    FakeLeaders.Log log = leaders.log(A).add(10, 20, 30);
    FollowedPartition a = maker.following(A, log, 2);
    leaders.log(B).add(10, 20, 30);
    FollowedPartition b = maker.following(B, leaders.log(B), 2);
    leaders.fail(A, new TimeoutException("slow"));
    HeadProofs proofs = proofs(List.of(a, b));
    proofs.look();
    runTasks();
    assertThat(belowMs(b)).isEqualTo(21);
    assertThat(belowMs(a)).isEqualTo(Long.MAX_VALUE);
    assertThat(leaders.asked().stream().filter(q -> q.containsKey(A))).hasSize(1);

    leaders.heal();
    proofs.look();
    runTasks();
    assertThat(belowMs(a)).isEqualTo(21);
  }

  @Test
  void logBegunAnewMeanwhile_isNotTakenForTheOldOne() {
    FakeLeaders.Log log = leaders.log(A).add(10, 20, 30, 40, 50);
    FollowedPartition partition = maker.following(A, log, 2);
    HeadProofs proofs = proofs(List.of(partition));
    proofs.look();
    log.add(60);
    partition.beginAt(new StartOffsets.Begin(5, OptionalLong.empty()));
    TestPartitions.catchUp(partition, log);
    runTasks();
    assertThat(belowMs(partition)).isEqualTo(Long.MAX_VALUE);

    proofs.look();
    runTasks();
    assertThat(belowMs(partition)).isEqualTo(51);
  }

  @Test
  void silentLeader_whileRecordsKeepComing_isAskedLessAndLess() {
    FakeLeaders.Log log = leaders.log(A).add(1_000_000, 1_001_000, 1_002_000, 1_003_000);
    FollowedPartition partition = maker.following(A, log, 2);
    leaders.silence(A);
    HeadProofs proofs = proofs(List.of(partition));
    int first = lookWhileItGrows(proofs, partition, log);
    assertThat(first).as("questions of the first look").isBetween(2, 60);

    int asking = 0;
    for (int look = 1; look < 1_000; look++) {
      asking += lookWhileItGrows(proofs, partition, log) > 0 ? 1 : 0;
    }
    assertThat(asking).as("of 999 looks, those that asked").isBetween(8, 14);
    assertThat(leaders.asked()).hasSizeLessThan(15 * 60);
    assertThat(belowMs(partition)).as("nothing found proves nothing").isEqualTo(Long.MAX_VALUE);

    leaders.heal();
    for (int look = 0; look <= 128; look++) {
      lookWhileItGrows(proofs, partition, log);
    }
    assertThat(belowMs(partition)).isEqualTo(1_001_001);
  }

  /** Returns how many questions were asked; something comes before each answer. */
  private int lookWhileItGrows(
      HeadProofs proofs, FollowedPartition partition, FakeLeaders.Log log) {
    int before = leaders.asked().size();
    proofs.look();
    for (int step = 0; step < 1_000 && !tasks.isEmpty(); step++) {
      log.add(log.records.lastEntry().getValue() + 1_000);
      TestPartitions.catchUp(partition, log);
      tasks.remove().run();
    }
    log.add(log.records.lastEntry().getValue() + 1_000);
    TestPartitions.catchUp(partition, log);
    return leaders.asked().size() - before;
  }

  @Test
  void headOfLaterRecords_whileRecordsKeepComing_isAskedAboutOnceALook() {
    FakeLeaders.Log log = leaders.log(A);
    for (long i = 0; i < 500; i++) {
      log.add(1_000_000 + i * 1_000);
    }
    log.add(1_000_500);
    FollowedPartition partition = maker.following(A, log, 500);
    HeadProofs proofs = proofs(List.of(partition));
    for (int look = 0; look < 20; look++) {
      assertThat(lookWhileItGrows(proofs, partition, log)).isLessThanOrEqualTo(1);
    }
    assertThat(belowMs(partition)).isEqualTo(Long.MAX_VALUE);
  }
}
