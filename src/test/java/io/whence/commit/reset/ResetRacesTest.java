package io.whence.commit.reset;

import static io.whence.commit.reset.PlannerLogs.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResetRacesTest {
  private static final int ROUNDS = 500;
  private static final FallbackDecision NONE =
      new FallbackDecision(FallbackChoice.REFUSE, Set.of());
  private static final TopicPartition[] EIGHT =
      IntStream.range(0, 8).mapToObj(PlannerLogs::partition).toArray(TopicPartition[]::new);

  private final PlannerLogs logs = new PlannerLogs();
  private final ResetPlans plans =
      new ResetPlans(
          new PlanLimits(Duration.ofMinutes(1), 10_000, 100_000), logs.clock, new Random(3));
  private final ResetApplier applier = new ResetApplier(plans);

  @BeforeEach
  void eightPartitions() {
    for (TopicPartition partition : EIGHT) {
      logs.log(partition.partition(), 0, "0:10 1:11 2:12 3:13");
      logs.offsets.put(GROUP, partition, 0);
    }
  }

  @AfterEach
  void close() {
    logs.close();
  }

  private ResetPlan plan(long offset) {
    return plans.keep(logs.source.name(), GROUP, logs.plan(new ResetTarget.Offset(offset), EIGHT));
  }

  private List<AppliedReset> apply(ResetPlan plan) {
    return applier
        .apply(plan.id(), NONE, "me", logs.offsets, Cancellation.NONE)
        .toCompletableFuture()
        .join();
  }

  private List<Long> committed() {
    List<Long> offsets = new ArrayList<>();
    logs.group(GROUP).forEach((topic, partition, offset) -> offsets.add(offset.nextOffset()));
    return offsets;
  }

  @Test
  void readerDuringResets_seesAllOldOrAllNew() {
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger reads = new AtomicInteger();
    CyclicBarrier start = new CyclicBarrier(2);
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(
            () -> {
              await(start);
              while (!done.get()) {
                assertThat(Set.copyOf(committed())).hasSize(1);
                reads.incrementAndGet();
              }
            });
    await(start);

    for (int round = 1; round <= ROUNDS || (reads.get() < ROUNDS && !reader.isDone()); round++) {
      assertThat(apply(plan(round % 5))).hasSize(8);
    }

    done.set(true);
    reader.join();
    assertThat(reads.get()).isGreaterThanOrEqualTo(ROUNDS);
  }

  @Test
  void commitAgainstApply_eitherComesFirst_neverBoth() {
    int outdated = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long target = 1 + round % 2;
      ResetPlan plan = plan(target);
      CyclicBarrier start = new CyclicBarrier(2);
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                await(start);
                logs.offsets.put(GROUP, EIGHT[5], 4);
              });
      await(start);
      List<Long> before = List.of(3L - target, 0L);
      try {
        apply(plan);
        writer.join();
        assertThat(committed()).containsOnly(target, 4L);
      } catch (CompletionException e) {
        WhenceException failure = (WhenceException) e.getCause();
        assertThat(failure.reason()).isEqualTo(ErrorReason.PLAN_OUTDATED);
        assertThat(failure.metadata()).containsEntry("partition", "5");
        writer.join();
        outdated++;
        assertThat(committed().get(5)).isEqualTo(4);
        assertThat(before).contains(committed().get(0));
      }
      long now = committed().get(5);
      assertThat(now).isEqualTo(4);
      apply(plan(target));
    }
    System.out.println("ResetRacesTest outdated=" + outdated + " of " + ROUNDS);
  }

  @Test
  void twoCallersOfOnePlan_getOneResult() {
    for (int round = 1; round <= ROUNDS; round++) {
      ResetPlan plan = plan(round % 5);
      int commits = logs.offsets.made().size();
      CyclicBarrier start = new CyclicBarrier(2);
      CompletableFuture<List<AppliedReset>> other =
          CompletableFuture.supplyAsync(
              () -> {
                await(start);
                return apply(plan);
              });
      await(start);

      List<AppliedReset> own = apply(plan);

      assertThat(other.join()).isEqualTo(own).hasSize(8);
      assertThat(logs.offsets.made()).hasSize(commits + 1);
    }
  }

  private static void await(CyclicBarrier start) {
    try {
      start.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
