package io.whence.source.kafka;

import io.whence.log.LeaderRecords;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a partition once from front to back, as far as it is asked, to tell which records its
 * leader still has. Reads no faster than a limit, so that others get their share. Thread safety:
 * single-writer, but for {@link #wakeUp}.
 */
final class CleaningPass implements LeaderRecords, AutoCloseable {
  private static final long MAX_BYTES_PER_SECOND = 32L << 20;
  private static final int MAX_POLL_RECORDS = 10_000;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  private final FollowedPartition followed;
  private final TopicPartition partition;
  private final CleaningQuestions questions;
  private final Duration limit;
  private final CountDownLatch stopping;
  private final KafkaConsumer<Void, Void> consumer;
  private final long begunNanos = System.nanoTime();
  private long readBytes;

  /** What was read and not asked for yet. */
  private Iterator<ConsumerRecord<Void, Void>> read = Collections.emptyIterator();

  private @Nullable ConsumerRecord<Void, Void> next;

  /** Below it all was read. */
  private long position;

  private boolean begun;

  /**
   * Prepares a pass.
   *
   * @param limit how long to wait for the leader when nothing comes
   * @param stopping is counted down when the pass is to end
   */
  CleaningPass(
      FollowedPartition followed,
      CleaningQuestions questions,
      Map<String, Object> client,
      Duration limit,
      CountDownLatch stopping) {
    this.followed = followed;
    this.partition =
        new TopicPartition(followed.partition().topic(), followed.partition().partition());
    this.questions = questions;
    this.limit = limit;
    this.stopping = stopping;
    this.consumer = consumer(client, limit);
    consumer.assign(List.of(partition));
  }

  private static KafkaConsumer<Void, Void> consumer(Map<String, Object> client, Duration limit) {
    Map<String, Object> config =
        GrouplessConsumer.settings(
            client, IsolationLevel.READ_UNCOMMITTED, MAX_POLL_RECORDS, limit);
    config.remove(ConsumerConfig.CLIENT_RACK_CONFIG); // Followers are cleaned by themselves.
    return new KafkaConsumer<>(config, new Nothing(), new Nothing());
  }

  /** Of keys and values only the size counts. */
  private static final class Nothing implements Deserializer<Void> {
    @Override
    public @Nullable Void deserialize(String topic, byte @Nullable [] data) {
      return null;
    }

    @Override
    public @Nullable Void deserialize(String topic, Headers headers, @Nullable ByteBuffer data) {
      return null;
    }
  }

  @Override
  public boolean has(long offset, long timestampMs) {
    begin(offset);
    while (true) {
      while (next != null && next.offset() < offset) {
        next = read.hasNext() ? read.next() : null;
      }
      if (next != null) {
        return next.offset() == offset && isSame(next, timestampMs);
      }
      if (position > offset) {
        return false; // Nothing lies there any more, or it is below the log start.
      }
      readOn();
    }
  }

  private void begin(long offset) {
    if (!begun) {
      begun = true;
      long start =
          Objects.requireNonNull(
              consumer.beginningOffsets(List.of(partition)).get(partition),
              "an offset that was asked for");
      position = Math.max(offset, start);
      consumer.seek(partition, position);
    }
  }

  private static boolean isSame(ConsumerRecord<?, ?> record, long timestampMs) {
    if (record.timestamp() != timestampMs) {
      throw new CancellationException(
          "offset " + record.offset() + " has another time: the lane will find the other history");
    }
    return true;
  }

  /** Reads at least one record, or past where there were some. */
  private void readOn() {
    long untilNanos = System.nanoTime() + limit.toNanos();
    long before = position;
    while (position == before) {
      requireGoingOn();
      List<ConsumerRecord<Void, Void>> records = consumer.poll(POLL).records(partition);
      position = consumer.position(partition, limit);
      if (!records.isEmpty()) {
        read = records.iterator();
        next = read.next();
        records.forEach(this::count);
        pause();
        return;
      }
      if (position == before && System.nanoTime() - untilNanos > 0) {
        throw followed.failure(
            ErrorReason.LEADER_UNAVAILABLE,
            "could not be read from offset " + position + " on within " + limit.toMillis() + " ms");
      }
    }
  }

  private void count(ConsumerRecord<?, ?> record) {
    readBytes +=
        Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
  }

  /** Waits for as long as what was read would have taken. */
  private void pause() {
    long dueNanos = TimeUnit.SECONDS.toNanos(1) * readBytes / MAX_BYTES_PER_SECOND;
    long aheadNanos = dueNanos - (System.nanoTime() - begunNanos);
    if (aheadNanos <= 0) {
      return;
    }
    try {
      if (stopping.await(aheadNanos, TimeUnit.NANOSECONDS)) {
        requireGoingOn();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    }
  }

  private void requireGoingOn() {
    if (stopping.getCount() == 0) {
      throw new CancellationException("the server stops");
    }
  }

  @Override
  public boolean isOfSameLog() throws IOException {
    try {
      return questions.hasId(partition.topic(), followed.topicId());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends what it waits for. Thread-safe. */
  void wakeUp() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(CLOSE_LIMIT));
  }
}
