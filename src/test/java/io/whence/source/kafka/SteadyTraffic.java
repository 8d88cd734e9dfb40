package io.whence.source.kafka;

import io.whence.model.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Producers that write side by side until they are paused; paused, all that they began is ended.
 * Thread safety: thread-safe, but for pausing and resuming, which one thread does.
 */
final class SteadyTraffic implements AutoCloseable {
  private static final long PACE_MS = 120;

  private final List<ClusterTraffic> producers = new ArrayList<>();
  private final ScheduledExecutorService scheduler;
  private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();
  private final AtomicInteger bursts = new AtomicInteger();
  private final ConcurrentLinkedQueue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

  /** Fair: who pauses is not kept waiting by those who write on and on. */
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock(true);

  /**
   * Begins paused.
   *
   * @param topics how many partitions each topic has; may grow
   */
  SteadyTraffic(String bootstrapServers, Map<String, Integer> topics, int count, Random random) {
    this.scheduler = Executors.newScheduledThreadPool(count);
    gate.writeLock().lock();
    for (int i = 0; i < count; i++) {
      Random own = new Random(random.nextLong());
      ClusterTraffic traffic =
          new ClusterTraffic(
              bootstrapServers,
              topics,
              own,
              (partition, offset) -> ends.merge(partition, offset + 1, Math::max));
      producers.add(traffic);
      Future<?> unused =
          scheduler.scheduleWithFixedDelay(() -> burst(traffic), 0, PACE_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void burst(ClusterTraffic traffic) {
    gate.readLock().lock();
    try {
      traffic.burst();
      bursts.incrementAndGet();
    } catch (RuntimeException e) {
      failures.add(e);
    } finally {
      gate.readLock().unlock();
    }
  }

  /** Ends what was begun, and begins nothing. */
  void pause() {
    gate.writeLock().lock();
  }

  /** Writes on. */
  void resume() {
    gate.writeLock().unlock();
  }

  /** Returns how often something was written. */
  int bursts() {
    return bursts.get();
  }

  /** Returns what went wrong with writing. */
  List<RuntimeException> failures() {
    return List.copyOf(failures);
  }

  /** Returns the offset behind the last record of a partition that was acknowledged; 0 for none. */
  long acknowledgedEnd(TopicPartition partition) {
    return ends.getOrDefault(partition, 0L);
  }

  /** Forgets what was acknowledged of a topic, before it is made again. */
  void forget(String topic) {
    ends.keySet().removeIf(partition -> partition.topic().equals(topic));
  }

  @Override
  public void close() {
    scheduler.shutdownNow();
    producers.forEach(ClusterTraffic::close);
  }
}
