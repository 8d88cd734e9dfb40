package io.whence.source.kafka;

import io.whence.log.StoredRecord;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.RecordStamp;
import io.whence.model.TimestampType;
import io.whence.model.WhenceException;
import io.whence.record.SourceRecord;
import io.whence.source.ReadRange;
import io.whence.source.kafka.fetch.FetchFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a few records from the cluster itself, which alone has keys and values: by a consumer
 * without a group, made for it. Thread safety: thread-safe.
 */
final class ClusterReader {
  /** What a consumer decompresses at a time is as large as whoever wrote it made it. */
  private static final int MAX_READERS =
      (int) Math.max(1, Math.min(4, Runtime.getRuntime().maxMemory() >> 28));

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  private final String source;
  private final Map<String, Object> client;
  private final Duration limit;
  private final Semaphore readers = new Semaphore(MAX_READERS, true);

  /**
   * Makes a reader.
   *
   * @param limit how long a read may take
   */
  ClusterReader(String source, Map<String, Object> client, Duration limit) {
    this.source = source;
    this.client = client;
    this.limit = limit;
  }

  /**
   * Reads records.
   *
   * @param endOffset where there are no more, exclusive
   * @throws WhenceException {@code LEADER_UNAVAILABLE}, {@code NOT_AUTHORIZED}, {@code OVERLOADED};
   *     {@code OFFSET_OUT_OF_RANGE} if the records were removed, {@code UNSUPPORTED} if the first
   *     is too large, {@code DRAINING} at the stop
   */
  List<StoredRecord> read(ReadRange range, long endOffset, Cancellation cancellation) {
    await(cancellation);
    try {
      KafkaConsumer<byte[], byte[]> consumer = consumer(range);
      try {
        return read(consumer, range, endOffset, cancellation);
      } finally {
        consumer.close(
            CloseOptions.timeout(CLOSE_LIMIT)); // By itself it would wait for half a minute.
      }
    } catch (InterruptException e) {
      throw failure(ErrorReason.DRAINING, range, "the server stops");
    } catch (OffsetOutOfRangeException e) {
      throw failure(ErrorReason.OFFSET_OUT_OF_RANGE, range, "its records are no longer there");
    } catch (KafkaException e) {
      FetchFault fault = LeaderFailures.of(e);
      throw failure(fault.reason(), range, fault.message());
    } finally {
      readers.release();
    }
  }

  private void await(Cancellation cancellation) {
    long patienceNanos = Math.min(limit.toNanos(), cancellation.remainingNanos());
    try {
      if (!readers.tryAcquire(patienceNanos, TimeUnit.NANOSECONDS)) {
        throw WhenceException.of(
            ErrorReason.OVERLOADED, MAX_READERS + " reads from the cluster are in work already");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WhenceException.of(ErrorReason.DRAINING, "the server stops");
    }
  }

  private KafkaConsumer<byte[], byte[]> consumer(ReadRange range) {
    Map<String, Object> config =
        GrouplessConsumer.settings(client, range.isolation(), range.maxRecords(), limit);
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private List<StoredRecord> read(
      KafkaConsumer<byte[], byte[]> consumer,
      ReadRange range,
      long endOffset,
      Cancellation cancellation) {
    TopicPartition partition =
        new TopicPartition(range.partition().topic(), range.partition().partition());
    consumer.assign(List.of(partition));
    consumer.seek(partition, range.offset());
    List<StoredRecord> records = new ArrayList<>();
    long bytes = 0;
    long endNanos = System.nanoTime() + limit.toNanos();
    while (isBelow(consumer, partition, endOffset)) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(partition)) {
        long size = sizeOf(record);
        if (size > StoredRecord.LARGEST_BYTES) {
          if (records.isEmpty()) {
            throw StoredRecord.tooLarge(record.offset(), size, StoredRecord.LARGEST_BYTES);
          }
          return records;
        }
        bytes += size;
        boolean isTooMuch = !records.isEmpty() && bytes > range.maxBytes();
        if (isTooMuch || records.size() == range.maxRecords() || record.offset() >= endOffset) {
          return records;
        }
        records.add(stored(record));
      }
      cancellation.check();
      if (System.nanoTime() - endNanos > 0) {
        throw failure(
            ErrorReason.LEADER_UNAVAILABLE, range, "no answer within " + limit.toMillis() + " ms");
      }
    }
    return records;
  }

  /** Where its epoch is still being asked for, it may be. */
  private static boolean isBelow(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long endOffset) {
    try {
      return consumer.position(partition, POLL) < endOffset;
    } catch (TimeoutException e) {
      return true;
    }
  }

  private WhenceException failure(ErrorReason reason, ReadRange range, String why) {
    return WhenceException.of(
        reason,
        "partition "
            + range.partition().partition()
            + " of topic '"
            + range.partition().topic()
            + "' could not be read from the cluster: "
            + why,
        "source",
        source,
        "topic",
        range.partition().topic(),
        "partition",
        range.partition().partition(),
        "offset",
        range.offset());
  }

  private static StoredRecord stored(ConsumerRecord<byte[], byte[]> record) {
    TimestampType type =
        record.timestampType() == org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME
            ? TimestampType.LOG_APPEND_TIME
            : TimestampType.CREATE_TIME;
    List<SourceRecord.Header> headers = new ArrayList<>();
    for (Header header : record.headers()) {
      headers.add(new SourceRecord.Header(header.key(), header.value()));
    }
    return new StoredRecord(
        new RecordStamp(record.offset(), record.timestamp(), type, record.leaderEpoch().orElse(-1)),
        record.key(),
        record.value(),
        headers);
  }

  private static long sizeOf(ConsumerRecord<byte[], byte[]> record) {
    long bytes = sizeOf(record.key()) + sizeOf(record.value());
    for (Header header : record.headers()) {
      bytes += header.key().length() + sizeOf(header.value());
    }
    return bytes;
  }

  private static long sizeOf(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}
