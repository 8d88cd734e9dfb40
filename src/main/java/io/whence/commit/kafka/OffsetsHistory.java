package io.whence.commit.kafka;

import io.whence.commit.OffsetChanges;
import io.whence.model.Cancellation;
import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.WhenceException;
import io.whence.source.kafka.GrouplessConsumer;
import io.whence.source.kafka.RenewedAdmin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads what became of the offsets of a group from the topic that the cluster keeps them in: by a
 * consumer without a group, made for it. Only what is committed counts, as for the coordinator.
 * Thread safety: thread-safe.
 */
final class OffsetsHistory {
  static final String TOPIC = "__consumer_offsets";
  private static final int MAX_READERS = 2;
  private static final int MAX_POLL_RECORDS = 10_000;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  /** Kafka's client takes less for a mistake. */
  private static final Duration MIN_PATIENCE = Duration.ofMillis(1);

  /** A transaction that takes longer than this to end may take minutes. */
  private static final Duration SETTLING = Duration.ofMillis(250);

  private final RenewedAdmin admin;
  private final KafkaGroupOptions options;
  private final ClusterFailures failures;
  private final Semaphore readers = new Semaphore(MAX_READERS);

  OffsetsHistory(RenewedAdmin admin, KafkaGroupOptions options, ClusterFailures failures) {
    this.admin = admin;
    this.options = options;
    this.failures = failures;
  }

  /**
   * Reads all that is there of a group at this moment, for as long as it goes on coming.
   *
   * @param limit how many changes to keep of each partition
   */
  OffsetChanges read(String group, int limit, Cancellation cancellation) {
    if (!readers.tryAcquire()) {
      throw WhenceException.of(
          ErrorReason.OVERLOADED, MAX_READERS + " histories are read from the cluster already");
    }
    try (ClusterWait unused = ClusterWait.begin()) {
      KafkaConsumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
      try {
        return read(consumer, group, limit, cancellation);
      } finally {
        consumer.close(CloseOptions.timeout(CLOSE_LIMIT));
      }
    } catch (AuthorizationException e) {
      throw WhenceException.of(
          ErrorReason.NOT_AUTHORIZED,
          "the history of group '"
              + group
              + "' is in topic "
              + TOPIC
              + ", which the cluster does not let this server read: allow READ on it, or ask without"
              + " history",
          "source",
          options.source(),
          "group",
          group);
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      throw failures.ofGroup(e, group);
    } finally {
      readers.release();
    }
  }

  private Map<String, Object> settings() {
    return GrouplessConsumer.settings(
        ClientSettings.admin(options, "history"),
        IsolationLevel.READ_COMMITTED,
        MAX_POLL_RECORDS,
        options.requestTimeout());
  }

  private OffsetChanges read(
      KafkaConsumer<byte[], byte[]> consumer, String group, int limit, Cancellation cancellation) {
    OffsetChanges changes = new OffsetChanges(group, limit);
    int count = consumer.partitionsFor(TOPIC, patience(cancellation)).size();
    if (count == 0) {
      return changes; // Nobody has committed anything yet.
    }
    TopicPartition kept = new TopicPartition(TOPIC, partitionOf(group, count));
    long end = end(kept, Deadline.in(patience(cancellation)));
    long decidedEnd =
        Objects.requireNonNull(
            consumer.endOffsets(List.of(kept), patience(cancellation)).get(kept), "an end");
    consumer.assign(List.of(kept));
    consumer.seekToBeginning(List.of(kept));
    Deadline settling = Deadline.in(SETTLING);
    Deadline silence = Deadline.in(options.requestTimeout());
    for (long position = 0; position < end; ) {
      cancellation.check();
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(kept)) {
        changes.add(KafkaTypes.partition(kept), record.offset(), record.key(), record.value());
      }
      long before = position;
      position = consumer.position(kept, patience(cancellation));
      if (position > before) {
        settling = Deadline.in(SETTLING);
        silence = Deadline.in(options.requestTimeout());
      } else if (position >= decidedEnd && settling.isOver()) {
        return changes; // The rest is of a transaction that may take minutes to end.
      } else if (silence.isOver()) {
        throw new TimeoutException("nothing more came of " + kept + " from offset " + position);
      }
    }
    return changes;
  }

  /** Returns how long one answer may take. */
  private Duration patience(Cancellation cancellation) {
    long left = Math.max(MIN_PATIENCE.toNanos(), cancellation.remainingNanos());
    return Duration.ofNanos(Math.min(left, options.requestTimeout().toNanos()));
  }

  /** Returns the end of what is there, decided or not: what has just been committed is not yet. */
  private long end(TopicPartition partition, Deadline deadline) {
    ListOffsetsOptions within = new ListOffsetsOptions().timeoutMs(deadline.remainingMs());
    return AdminCalls.await(
            admin
                .client()
                .listOffsets(Map.of(partition, OffsetSpec.latest()), within)
                .partitionResult(partition),
            deadline)
        .offset();
  }

  /** As the brokers place groups. */
  static int partitionOf(String group, int count) {
    int hash = group.hashCode();
    return (hash == Integer.MIN_VALUE ? 0 : Math.abs(hash)) % count;
  }
}
