package io.whence.bench.lookup;

import io.whence.bench.data.LogPlan;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Which records of some partitions of a topic are the first ones at or after a time; the answers
 * are known. Thread safety: immutable.
 *
 * @param plan the topic
 * @param firstPartition the first partition
 * @param partitions how many partitions, in a row
 * @param timestampMs the time, which all partitions have records at or after
 */
record Question(LogPlan plan, int firstPartition, int partitions, long timestampMs) {
  private static final long SEED = 9;

  /** Makes several, of the same size, at random but always the same. */
  static List<Question> of(LogPlan plan, int partitions, int count) {
    Random random = new Random(SEED);
    List<Question> questions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int first = random.nextInt(plan.partitions() - partitions + 1);
      questions.add(new Question(plan, first, partitions, plan.timestampMs(random.nextDouble())));
    }
    return questions;
  }

  /** Returns the request for Whence. */
  ResolveTimestampRequest request() {
    TimestampQuery.Builder query =
        TimestampQuery.newBuilder()
            .setTopic(plan.topic())
            .setPosition(
                Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(timestampMs)));
    for (int i = 0; i < partitions; i++) {
      query.addPartitions(firstPartition + i);
    }
    return ResolveTimestampRequest.newBuilder().addQueries(query).build();
  }

  /** Returns the request for Kafka. */
  Map<TopicPartition, OffsetSpec> kafkaRequest() {
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    for (int i = 0; i < partitions; i++) {
      request.put(partition(i), OffsetSpec.forTimestamp(timestampMs));
    }
    return request;
  }

  /** Returns the partition of this number, counted within the question. */
  TopicPartition partition(int number) {
    return new TopicPartition(plan.topic(), firstPartition + number);
  }

  /**
   * Throws unless answers are right.
   *
   * @param offsets the answers, in the order of the partitions
   */
  void check(long[] offsets, String who) {
    if (offsets.length != partitions) {
      throw new WrongAnswerException(who + ": " + offsets.length + " answers to " + this);
    }
    for (int i = 0; i < partitions; i++) {
      long expected = plan.expectedOffset(firstPartition + i, timestampMs).orElseThrow();
      if (offsets[i] != expected) {
        throw new WrongAnswerException(
            "%s: answered %d instead of %d for %s of %s"
                .formatted(who, offsets[i], expected, partition(i), this));
      }
    }
  }
}
