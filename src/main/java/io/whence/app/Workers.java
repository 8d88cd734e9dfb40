package io.whence.app;

import io.whence.grpc.CallLane;
import io.whence.grpc.CallWorkers;
import io.whence.ops.CallMetrics;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Locale;
import java.util.function.ToIntFunction;

/** The bounded pools on which calls are answered, one a lane. Thread safety: thread-safe. */
@Singleton
class Workers implements CallWorkers {
  private static final int MIN_THREADS = 4;

  private final FairPool lookups;
  private final FairPool writes;

  Workers(CheckedConfig checked) {
    WorkersConfig config = checked.values().workers();
    int processors = Runtime.getRuntime().availableProcessors();
    int threads = config.threads().orElse(Math.max(MIN_THREADS, 2 * processors));
    lookups = new FairPool("whence-worker-lookups", threads, config.queue());
    writes =
        new FairPool("whence-worker-writes", config.writeThreads().orElse(threads), config.queue());
  }

  @Override
  public void execute(CallLane lane, Object owner, Runnable task) {
    pool(lane).execute(owner, task);
  }

  @Override
  public long expectedWaitNanos(CallLane lane, Object owner) {
    return pool(lane).expectedWaitNanos(owner);
  }

  private FairPool pool(CallLane lane) {
    return lane == CallLane.WRITES ? writes : lookups;
  }

  /** Shows the state of the pools. */
  void watch(CallMetrics metrics, ToIntFunction<CallLane> callsInFlight) {
    for (CallLane lane : CallLane.values()) {
      metrics.watchWorkers(
          lane.name().toLowerCase(Locale.ROOT),
          pool(lane)::waiting,
          pool(lane)::busy,
          () -> callsInFlight.applyAsInt(lane));
    }
  }

  /** Takes no more work, waits for what is there, and interrupts what is left then. */
  void stop(Duration patience) throws InterruptedException {
    try {
      lookups.stop(patience);
    } finally {
      writes.stop(patience);
    }
  }
}
