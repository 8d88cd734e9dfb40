package io.whence.commit.reset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.testkit.ManualClock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResetPlansTest {
  private static final long TTL_MS = 60_000;

  private final ManualClock clock = new ManualClock(1_000);

  private ResetPlans plans(int count, long partitions) {
    PlanLimits limits = new PlanLimits(Duration.ofMillis(TTL_MS), count, partitions);
    return new ResetPlans(limits, clock, new Random(5));
  }

  private static List<PlannedReset> skipped(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            p ->
                PlannedReset.skip(
                    new ResetStart(new TopicPartition("t", p), null, null), null, "", List.of()))
        .toList();
  }

  private static void assertUnknown(ResetPlans plans, String id) {
    assertThatThrownBy(() -> plans.find(id))
        .isInstanceOfSatisfying(
            WhenceException.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(ErrorReason.UNKNOWN_PLAN);
              assertThat(failure.metadata()).containsEntry("plan_id", id);
            });
  }

  @Test
  void plan_isFoundUntilItExpires() {
    ResetPlans plans = plans(10, 100);
    ResetPlan plan = plans.keep("s", "g", skipped(2));

    clock.advance(TTL_MS - 1);

    assertThat(plan.expiresAtMs()).isEqualTo(1_000 + TTL_MS);
    assertThat(plans.find(plan.id())).isEqualTo(plan);
    clock.advance(1);
    assertUnknown(plans, plan.id());
  }

  @Test
  void ids_areLongSafeAndDifferent() {
    ResetPlans plans = plans(2_000, 10_000);
    Set<String> ids = new HashSet<>();

    for (int i = 0; i < 1_000; i++) {
      ids.add(plans.keep("s", "g", skipped(1)).id());
    }

    assertThat(ids).hasSize(1_000).allMatch(id -> id.matches("[A-Za-z0-9_-]{22}"));
  }

  @Test
  void tooManyPlans_dropTheOldest() {
    ResetPlans plans = plans(2, 100);
    ResetPlan first = plans.keep("s", "g", skipped(1));
    ResetPlan second = plans.keep("s", "g", skipped(1));

    ResetPlan third = plans.keep("s", "g", skipped(1));

    assertUnknown(plans, first.id());
    assertThat(plans.find(second.id())).isEqualTo(second);
    assertThat(plans.find(third.id())).isEqualTo(third);
  }

  @Test
  void tooManyPartitions_dropTheOldest_neverTheNewest() {
    ResetPlans plans = plans(10, 10);
    ResetPlan four = plans.keep("s", "g", skipped(4));
    ResetPlan six = plans.keep("s", "g", skipped(6));
    assertThat(plans.find(four.id())).isEqualTo(four);

    ResetPlan one = plans.keep("s", "g", skipped(1));
    assertUnknown(plans, four.id());
    assertThat(plans.find(six.id())).isEqualTo(six);

    ResetPlan many = plans.keep("s", "g", skipped(50));
    assertUnknown(plans, six.id());
    assertUnknown(plans, one.id());
    assertThat(plans.find(many.id())).isEqualTo(many);
    assertThat(plans.size()).isEqualTo(1);
  }

  @Test
  void expiredPlans_areDroppedByTheNextOne() {
    ResetPlans plans = plans(10, 100);
    plans.keep("s", "g", skipped(1));
    plans.keep("s", "g", skipped(1));
    clock.advance(TTL_MS);

    plans.keep("s", "g", skipped(1));

    assertThat(plans.size()).isEqualTo(1);
  }

  @Test
  void planThatWasApplied_isKeptForAnotherTimeToLive() {
    ResetPlans plans = plans(10, 100);
    ResetPlan plan = plans.keep("s", "g", skipped(1));
    clock.advance(TTL_MS - 1);

    plans.keepLonger(plan.id());
    clock.advance(TTL_MS - 1);
    plans.keep("s", "g", skipped(1));

    assertThat(plans.find(plan.id())).isEqualTo(plan);
    clock.advance(1);
    assertUnknown(plans, plan.id());
  }

  @Test
  void manyThreads_keepTheLimits() {
    ResetPlans plans = plans(50, 300);

    CompletableFuture<?>[] threads =
        IntStream.range(0, 4)
            .mapToObj(
                thread ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < 2_000; i++) {
                            plans.keep("s", "g", skipped(1 + i % 9));
                            assertThat(plans.size()).isLessThanOrEqualTo(50);
                          }
                        }))
            .toArray(CompletableFuture<?>[]::new);

    CompletableFuture.allOf(threads).join();
    assertThat(plans.size()).isBetween(1, 50);
  }
}
