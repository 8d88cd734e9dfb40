package io.whence.commit;

import static io.whence.commit.Entries.allowing;
import static io.whence.commit.Entries.entry;
import static io.whence.commit.Entries.withEpochs;
import static io.whence.commit.GroupsDir.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.reset.AppliedReset;
import io.whence.commit.reset.FallbackChoice;
import io.whence.commit.reset.FallbackDecision;
import io.whence.commit.reset.PlanLimits;
import io.whence.commit.reset.ResetApplier;
import io.whence.commit.reset.ResetPlan;
import io.whence.commit.reset.ResetPlanner;
import io.whence.commit.reset.ResetPlans;
import io.whence.commit.reset.ResetRequest;
import io.whence.commit.reset.ResetTarget;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Resets over the offsets of a real source, with flushes on threads of their own. */
class ResetOverStoreTest {
  private static final String GROUP = "billing";
  private static final int PARTITIONS = 8;
  private static final List<TopicPartition> ALL =
      IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(TOPIC, i)).toList();

  @TempDir private Path path;
  private final ExecutorService flusher = Executors.newFixedThreadPool(2);
  private GroupsDir dir;
  private ResetPlans plans;

  @BeforeEach
  void open() {
    dir = GroupsDir.open(path, flusher).withTopic(TOPIC, PARTITIONS, 100);
    plans =
        new ResetPlans(
            new PlanLimits(Duration.ofMinutes(1), 10_000, 100_000), dir.clock, new Random(5));
    dir.commit(
        GroupsDir.request(
            GROUP,
            IntStream.range(0, PARTITIONS)
                .mapToObj(i -> withEpochs(entry(i, 50), -1, 3))
                .toArray(CommitEntry[]::new)));
  }

  @AfterEach
  void close() {
    dir.close();
    flusher.shutdownNow();
  }

  private ResetPlan plan(long offset) {
    ResetRequest request =
        new ResetRequest(
            dir.offsets.group(GROUP).orElseThrow(),
            ALL,
            true,
            new ResetTarget.Offset(offset),
            IsolationLevel.READ_UNCOMMITTED);
    return plans.keep(
        "local",
        GROUP,
        new ResetPlanner(new LogResolver(), dir.clock)
            .plan(
                request,
                dir.source,
                Cancellation.NONE,
                (partition, failure) -> {
                  throw failure;
                }));
  }

  private List<AppliedReset> apply(ResetPlan plan) {
    try {
      return new ResetApplier(plans)
          .apply(
              plan.id(),
              new FallbackDecision(FallbackChoice.REFUSE, Set.of()),
              "operator",
              dir.offsets,
              Cancellation.NONE)
          .toCompletableFuture()
          .join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof WhenceException known ? known : e;
    }
  }

  private Set<Long> committed() {
    Set<Long> offsets = new HashSet<>();
    dir.offsets
        .group(GROUP)
        .orElseThrow()
        .forEach((topic, partition, offset) -> offsets.add(offset.nextOffset()));
    return offsets;
  }

  @Test
  void reader_seesAllOldOrAllNew() {
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Integer> reader =
        CompletableFuture.supplyAsync(
            () -> {
              int reads = 0;
              while (!done.get()) {
                assertThat(committed()).hasSize(1);
                reads++;
              }
              return reads;
            });
    for (int round = 0; round < 200; round++) {
      assertThat(apply(plan(round % 2 == 0 ? 10 : 20))).hasSize(PARTITIONS);
    }
    done.set(true);
    assertThat(reader.join()).isPositive();
  }

  @Test
  void commitOfAnotherOffset_leavesAllAsItIs() {
    ResetPlan plan = plan(10);
    dir.commit(GROUP, withEpochs(entry(5, 51), -1, 3));
    assertThatThrownBy(() -> apply(plan))
        .hasMessageContaining("orders-5 moved since the plan was made");
    assertThat(committed()).containsExactlyInAnyOrder(50L, 51L);
  }

  @Test
  void sameOffsetOfTheSameWriterAgain_hasNotMoved() {
    ResetPlan plan = plan(10);
    dir.commit(GROUP, withEpochs(entry(5, 50), -1, 3));
    assertThat(apply(plan)).hasSize(PARTITIONS);
    assertThat(committed()).containsExactly(10L);
  }

  @Test
  void newerWriter_isNotOvertaken() {
    ResetPlan plan = plan(10);
    dir.commit(GROUP, withEpochs(entry(5, 50), -1, 4));
    assertThatThrownBy(() -> apply(plan)).hasMessageContaining("orders-5 moved");
    assertThat(committed()).containsExactly(50L);
  }

  @Test
  void offsetThatCameBack_hasMoved() {
    ResetPlan plan = plan(10);
    dir.commit(GROUP, withEpochs(entry(5, 60), -1, 3));
    dir.commit(GROUP, allowing(withEpochs(entry(5, 50), -1, 3), true, false));
    assertThatThrownBy(() -> apply(plan)).hasMessageContaining("orders-5 moved");
  }

  @Test
  void planAppliedAgain_commitsNothing() {
    ResetPlan plan = plan(10);
    List<AppliedReset> first = apply(plan);
    dir.commit(GROUP, withEpochs(entry(0, 33), -1, 3));
    assertThat(apply(plan)).isEqualTo(first);
    assertThat(dir.committed(GROUP, 0)).isEqualTo(33);
  }
}
