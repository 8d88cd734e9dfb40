package io.whence.grpc;

import io.whence.model.TopicName;
import java.util.List;

/** The rules that many requests share. A broken one fails the whole call before any work. */
final class QueryChecks {
  private QueryChecks() {}

  /** Refuses an empty list of queries or entries. */
  static void requireSome(List<?> elements, String field) {
    if (elements.isEmpty()) {
      throw BadRequests.missing(FieldPath.of(field), "give at least one");
    }
  }

  /**
   * Refuses a missing topic, and a name that no topic can have: it would come back once for each
   * partition.
   */
  static void requireTopic(String topic, FieldPath parent) {
    if (topic.isEmpty()) {
      throw BadRequests.missing(parent.child("topic"), "give the name of a topic");
    }
    if (topic.length() > TopicName.MAX_LENGTH) {
      throw BadRequests.invalid(
          parent.child("topic"),
          topic,
          "the name has "
              + topic.length()
              + " characters; names of topics have at most "
              + TopicName.MAX_LENGTH);
    }
  }

  /** Refuses a negative partition. */
  static void requirePartition(int partition, FieldPath field) {
    if (partition < 0) {
      throw BadRequests.invalid(field, partition, partition + " is negative");
    }
  }

  /** Refuses negative partitions in a list. */
  static void requirePartitions(List<Integer> partitions, FieldPath parent) {
    for (int i = 0; i < partitions.size(); i++) {
      if (partitions.get(i) < 0) {
        requirePartition(partitions.get(i), parent.child("partitions", i));
      }
    }
  }

  /** Refuses a negative offset. */
  static void requireOffset(long offset, FieldPath field) {
    if (offset < 0) {
      throw BadRequests.invalid(field, offset, offset + " is negative");
    }
  }

  /** Refuses a negative age, and returns any other. */
  static long requireStaleness(long maxStalenessMs) {
    if (maxStalenessMs < 0) {
      throw BadRequests.invalid(
          FieldPath.of("max_staleness_ms"),
          maxStalenessMs,
          maxStalenessMs + " is negative; 0 has every answer confirmed");
    }
    return maxStalenessMs;
  }

  /** Refuses a value outside {@code [1, limit]}. */
  static void requireBetween1And(long limit, long value, FieldPath field) {
    if (value < 1 || value > limit) {
      throw BadRequests.invalid(field, value, value + " is not between 1 and " + limit);
    }
  }
}
