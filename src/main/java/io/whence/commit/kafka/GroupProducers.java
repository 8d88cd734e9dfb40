package io.whence.commit.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.jspecify.annotations.Nullable;

/**
 * The producers that commit for groups in transactions, one for each group at a time. While one is
 * not fenced, no other server has begun a transaction for its group since it was opened.
 *
 * <p>Invariant: a producer is either taken by one thread or idle; only so many are idle, the latest
 * ones. Thread safety: thread-safe.
 */
final class GroupProducers implements AutoCloseable {
  /** Each has a thread and a few connections; opening one takes some tens of milliseconds. */
  private static final int MAX_IDLE = 16;

  private final Object lock = new Object();
  private final KafkaGroupOptions options;

  @GuardedBy("lock")
  private final LinkedHashMap<String, GroupProducer> idle = new LinkedHashMap<>();

  @GuardedBy("lock")
  private boolean closed;

  GroupProducers(KafkaGroupOptions options) {
    this.options = options;
  }

  /** Takes the producer of a group, if one is open. */
  Optional<GroupProducer> take(String group) {
    synchronized (lock) {
      return Optional.ofNullable(idle.remove(group));
    }
  }

  /**
   * Opens a producer, which fences all others of the group and ends what they left undecided. Waits
   * for the cluster; throws what Kafka's client throws.
   */
  GroupProducer open(String group) {
    GroupProducer producer =
        new GroupProducer(new KafkaProducer<>(ClientSettings.producer(options, group)));
    try {
      producer.kafka().initTransactions();
      return producer;
    } catch (RuntimeException e) {
      producer.discard();
      throw e;
    }
  }

  /** Gives back a producer that has no transaction open. */
  void giveBack(String group, GroupProducer producer) {
    List<GroupProducer> surplus = new ArrayList<>();
    synchronized (lock) {
      GroupProducer other = closed ? producer : idle.put(group, producer);
      addIfPresent(surplus, other);
      if (idle.size() > MAX_IDLE) {
        String oldest = idle.keySet().iterator().next();
        addIfPresent(surplus, idle.remove(oldest));
      }
    }
    surplus.forEach(GroupProducer::discard);
  }

  private static void addIfPresent(List<GroupProducer> surplus, @Nullable GroupProducer producer) {
    if (producer != null) {
      surplus.add(producer);
    }
  }

  @Override
  public void close() {
    List<GroupProducer> all;
    synchronized (lock) {
      closed = true;
      all = new ArrayList<>(idle.values());
      idle.clear();
    }
    all.forEach(GroupProducer::discard);
  }
}
