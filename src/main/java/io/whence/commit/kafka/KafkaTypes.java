package io.whence.commit.kafka;

import io.whence.commit.CommitEntry;
import io.whence.commit.CommittedOffset;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Our values as Kafka's client has them, and the other way round. */
final class KafkaTypes {
  /** What the protocol doesn't tell of an offset. */
  private static final long UNKNOWN = -1;

  private KafkaTypes() {}

  static org.apache.kafka.common.TopicPartition kafka(TopicPartition partition) {
    return new org.apache.kafka.common.TopicPartition(partition.topic(), partition.partition());
  }

  static TopicPartition partition(org.apache.kafka.common.TopicPartition partition) {
    return new TopicPartition(partition.topic(), partition.partition());
  }

  static OffsetAndMetadata kafka(CommitEntry entry) {
    Optional<Integer> epoch =
        entry.leaderEpoch() < 0 ? Optional.empty() : Optional.of(entry.leaderEpoch());
    return new OffsetAndMetadata(entry.nextOffset(), epoch, entry.metadata());
  }

  /** Returns an offset as far as the cluster tells: neither when nor for which topic id. */
  static CommittedOffset committed(OffsetAndMetadata offset) {
    return new CommittedOffset(
        offset.offset(),
        offset.leaderEpoch().orElse(-1),
        offset.metadata(),
        UNKNOWN,
        UNKNOWN,
        null,
        UNKNOWN,
        UNKNOWN);
  }

  static @Nullable TopicId topicId(Uuid id) {
    return id.equals(Uuid.ZERO_UUID)
        ? null
        : new TopicId(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
  }
}
