package io.whence.commit.reset;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Keeps plans in memory until they expire; the oldest go first when there are too many. What is
 * kept is never above the limits, but for one plan. Thread safety: thread-safe.
 */
public final class ResetPlans {
  private static final int ID_BYTES = 16;

  private final Object lock = new Object();
  private final PlanLimits limits;
  private final InstantSource clock;
  private final RandomGenerator random;

  /** Those that expire first come first, as long as the clock doesn't go back. */
  @GuardedBy("lock")
  private final Map<String, KeptPlan> plans = new LinkedHashMap<>();

  @GuardedBy("lock")
  private long partitionCount;

  /**
   * Makes an empty store.
   *
   * @param random makes ids; whoever guesses one can apply a plan
   */
  public ResetPlans(PlanLimits limits, InstantSource clock, RandomGenerator random) {
    this.limits = limits;
    this.clock = clock;
    this.random = random;
  }

  /** Keeps what was planned, under a new id. */
  public ResetPlan keep(String source, String group, List<PlannedReset> partitions) {
    synchronized (lock) {
      long nowMs = clock.millis();
      byte[] id = new byte[ID_BYTES];
      random.nextBytes(id);
      ResetPlan plan =
          new ResetPlan(
              Base64.getUrlEncoder().withoutPadding().encodeToString(id),
              source,
              group,
              nowMs + limits.timeToLive().toMillis(),
              partitions);
      plans.put(plan.id(), new KeptPlan(plan));
      partitionCount += partitions.size();
      dropOldest(nowMs);
      return plan;
    }
  }

  /**
   * Returns a plan.
   *
   * @throws WhenceException {@code UNKNOWN_PLAN} if there is none of this id, or none any more
   */
  public ResetPlan find(String id) {
    return kept(id).plan();
  }

  /** Returns how many plans are kept, expired ones included. */
  public int size() {
    synchronized (lock) {
      return plans.size();
    }
  }

  KeptPlan kept(String id) {
    synchronized (lock) {
      KeptPlan kept = plans.get(id);
      if (kept == null || kept.untilMs() <= clock.millis()) {
        throw WhenceException.of(
            ErrorReason.UNKNOWN_PLAN,
            "plan_id: there is no plan '"
                + id
                + "'; it expired, or the server was restarted since; make a new one",
            "plan_id",
            id);
      }
      return kept;
    }
  }

  /** Keeps a plan for another time to live, for those who have yet to hear that it was applied. */
  void keepLonger(String id) {
    synchronized (lock) {
      KeptPlan kept = plans.remove(id);
      if (kept != null) {
        kept.keepUntil(clock.millis() + limits.timeToLive().toMillis());
        plans.put(id, kept);
      }
    }
  }

  @GuardedBy("lock")
  private void dropOldest(long nowMs) {
    Iterator<KeptPlan> oldestFirst = plans.values().iterator();
    while (plans.size() > 1) {
      KeptPlan oldest = oldestFirst.next();
      boolean tooMuch = plans.size() > limits.plans() || partitionCount > limits.partitions();
      if (!tooMuch && oldest.untilMs() > nowMs) {
        return;
      }
      oldestFirst.remove();
      partitionCount -= oldest.plan().partitions().size();
    }
  }
}
