package io.whence.testkit;

import io.whence.model.IsolationLevel;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.testkit.OracleRecord.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks a real broker and somebody else the same, and tells where they differ and why. The broker is
 * known not to be exact: a difference is put down to one of the documented causes if the other
 * answer is that of the oracle and the broker's is what the cause makes of it. Every other one is
 * {@link Cause#UNEXPLAINED}, which a test must not see. Thread safety: single-writer.
 */
public final class BrokerComparison {
  private final Admin admin;
  private final TopicPartition partition;
  private final IsolationLevel isolation;
  private final BruteForce oracle;

  /**
   * Makes a comparison.
   *
   * @param admin a client of the broker
   * @param partition the partition that is asked about
   * @param isolation what may be seen
   * @param oracle the oracle of the partition, which knows every record; {@link #oracle} makes one
   */
  public BrokerComparison(
      Admin admin,
      io.whence.model.TopicPartition partition,
      IsolationLevel isolation,
      BruteForce oracle) {
    this.admin = admin;
    this.partition = new TopicPartition(partition.topic(), partition.partition());
    this.isolation = isolation;
    this.oracle = oracle;
  }

  /** Why the broker answers otherwise. */
  public enum Cause {
    /** Its answer is a transaction marker, which nobody sees. */
    CONTROL_MARKER,
    /** Its answer is a record of an aborted transaction, which a committed reader never sees. */
    ABORTED_RECORD,
    /**
     * It found nothing, for it looks into one segment only, and what made it choose this one is
     * trimmed, removed by compaction, or the time of the file.
     */
    FIRST_SEGMENT_ONLY,
    /** The record that it gives for the maximum is below the log start. */
    MAX_BELOW_LOG_START,
    /** It gives no maximum, for the record that has it is not visible yet. */
    MAX_NOT_VISIBLE,
    /** The record that it gives for the maximum has no timestamp. */
    MAX_WITHOUT_TIMESTAMP,
    /** None of these: one of the two is wrong. */
    UNEXPLAINED
  }

  /**
   * An answer of the broker.
   *
   * @param offset the offset; negative when nothing was found
   * @param timestampMs the timestamp of the record; negative when it gives none
   */
  public record BrokerAnswer(long offset, long timestampMs) {}

  /**
   * A difference.
   *
   * @param position what was asked
   * @param broker what the broker answered
   * @param other what the other one answered
   * @param cause why
   */
  public record Difference(Position position, BrokerAnswer broker, Resolution other, Cause cause) {}

  /** Makes the oracle of a partition from the files and the bounds of a running broker. */
  public static BruteForce oracle(
      KafkaBroker broker, Admin admin, io.whence.model.TopicPartition partition) {
    TopicPartition asked = new TopicPartition(partition.topic(), partition.partition());
    return new BruteForce(
        KafkaRecords.read(broker.logDir().resolve(partition.toString())),
        ask(admin, asked, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED).offset(),
        ask(admin, asked, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED).offset(),
        ask(admin, asked, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED).offset());
  }

  /**
   * Asks for the earliest, the latest and the maximum, and for every time, at or after it.
   *
   * @param targetTimestamps the times, in epoch milliseconds
   * @param other who is compared with the broker
   * @return the differences, in the order asked
   */
  public List<Difference> compare(
      List<Long> targetTimestamps, Function<Position, Resolution> other) {
    Map<Position, OffsetSpec> questions = new LinkedHashMap<>();
    questions.put(new Position.Earliest(), OffsetSpec.earliest());
    questions.put(new Position.Latest(), OffsetSpec.latest());
    questions.put(new Position.MaxTimestamp(), OffsetSpec.maxTimestamp());
    targetTimestamps.forEach(
        t -> questions.put(new Position.AtOrAfter(t), OffsetSpec.forTimestamp(t)));
    List<Difference> differences = new ArrayList<>();
    questions.forEach(
        (position, spec) -> {
          BrokerAnswer broker = ask(admin, partition, spec, isolation);
          Resolution answer = other.apply(position);
          if (!agrees(broker, answer)) {
            Cause cause = cause(position, broker, answer);
            differences.add(new Difference(position, broker, answer, cause));
          }
        });
    return differences;
  }

  private static BrokerAnswer ask(
      Admin admin, TopicPartition partition, OffsetSpec spec, IsolationLevel isolation) {
    var level = org.apache.kafka.common.IsolationLevel.valueOf(isolation.name());
    try {
      ListOffsetsResultInfo info =
          admin
              .listOffsets(Map.of(partition, spec), new ListOffsetsOptions(level))
              .partitionResult(partition)
              .get(60, TimeUnit.SECONDS);
      return new BrokerAnswer(info.offset(), info.timestamp());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking a broker", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the broker did not answer for " + partition, e);
    }
  }

  private static boolean agrees(BrokerAnswer broker, Resolution other) {
    if (other.outcome() != Outcome.FOUND) {
      return broker.offset() < 0;
    }
    // The broker gives a timestamp only where it looked for one.
    boolean isSameTime =
        broker.timestampMs() < 0
            || (other.record() != null && broker.timestampMs() == other.record().timestampMs());
    return broker.offset() == other.offset() && isSameTime;
  }

  private Cause cause(Position position, BrokerAnswer broker, Resolution other) {
    if (!BruteForce.comparable(other).equals(oracle.resolve(position, isolation))) {
      return Cause.UNEXPLAINED;
    }
    if (position instanceof Position.AtOrAfter p) {
      return causeAtOrAfter(p.targetTimestampMs(), broker);
    }
    return position instanceof Position.MaxTimestamp ? causeMax(broker) : Cause.UNEXPLAINED;
  }

  /** The broker takes the first record that qualifies, whoever may see it, or misses it. */
  private Cause causeAtOrAfter(long target, BrokerAnswer broker) {
    long logStart = oracle.bounds(isolation).logStartOffset();
    Optional<OracleRecord> first =
        oracle.records().stream()
            .filter(r -> r.offset() >= logStart && r.timestampMs() >= target)
            .findFirst();
    if (first.isEmpty()) {
      return Cause.UNEXPLAINED;
    }
    if (broker.offset() < 0) {
      return Cause.FIRST_SEGMENT_ONLY;
    }
    return is(broker, first.get()) ? causeInvisible(first.get()) : Cause.UNEXPLAINED;
  }

  /** The broker takes the first record with the largest timestamp, trimmed ones included. */
  private Cause causeMax(BrokerAnswer broker) {
    long largest = oracle.records().stream().mapToLong(OracleRecord::timestampMs).max().orElse(-1);
    Optional<OracleRecord> max =
        oracle.records().stream().filter(r -> r.timestampMs() == largest).findFirst();
    if (max.isEmpty()) {
      return Cause.UNEXPLAINED;
    }
    if (broker.offset() < 0) {
      return max.get().offset() >= oracle.bounds(isolation).endOffset()
          ? Cause.MAX_NOT_VISIBLE
          : Cause.FIRST_SEGMENT_ONLY;
    }
    if (!is(broker, max.get())) {
      return Cause.UNEXPLAINED;
    }
    if (max.get().offset() < oracle.bounds(isolation).logStartOffset()) {
      return Cause.MAX_BELOW_LOG_START;
    }
    return max.get().isTimed() ? causeInvisible(max.get()) : Cause.MAX_WITHOUT_TIMESTAMP;
  }

  private static boolean is(BrokerAnswer broker, OracleRecord record) {
    return broker.offset() == record.offset() && broker.timestampMs() == record.timestampMs();
  }

  private Cause causeInvisible(OracleRecord record) {
    if (record.kind() == Kind.CONTROL) {
      return Cause.CONTROL_MARKER;
    }
    return record.kind() == Kind.ABORTED && isolation == IsolationLevel.READ_COMMITTED
        ? Cause.ABORTED_RECORD
        : Cause.UNEXPLAINED;
  }
}
