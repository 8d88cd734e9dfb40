package io.whence.grpc;

import io.whence.commit.LagStatus;
import io.whence.model.TopicPartition;
import io.whence.v1.LagSum;
import io.whence.v1.PartitionLag;

/** Lags to answers. */
final class LagAnswers {
  private LagAnswers() {}

  /** Returns the answer of one partition; the error of a failed one is not in it. */
  static PartitionLag.Builder partition(
      TopicPartition partition, io.whence.commit.PartitionLag lag) {
    PartitionLag.Builder answer =
        PartitionLag.newBuilder()
            .setTopic(partition.topic())
            .setPartition(partition.partition())
            .setStatus(status(lag.status()))
            .setFutureTimestamp(lag.isFutureTimestamp());
    lag.committedOffset().ifPresent(answer::setCommittedOffset);
    lag.bounds().map(Protos::bounds).ifPresent(answer::setBounds);
    lag.offsetLag().ifPresent(answer::setOffsetLag);
    lag.recordLag().ifPresent(answer::setRecordLag);
    lag.nextUnread().map(Protos::record).ifPresent(answer::setNextUnread);
    lag.stalenessMs().ifPresent(answer::setStalenessMs);
    lag.spanMs().ifPresent(answer::setSpanMs);
    lag.lostOffsets().ifPresent(answer::setLostOffsets);
    lag.aheadBy().ifPresent(answer::setAheadBy);
    return answer;
  }

  /** Returns the answer of all partitions together. */
  static LagSum sum(io.whence.commit.LagSum sum) {
    LagSum.Builder answer =
        LagSum.newBuilder()
            .setPartitionCount(sum.partitionCount())
            .setOffsetLag(sum.offsetLag())
            .setRecordLag(sum.recordLag())
            .setPartitionsWithoutOffset(sum.partitionsWithoutOffset())
            .setPartitionsStale(sum.partitionsStale())
            .setPartitionsBelowStart(sum.partitionsBelowStart())
            .setPartitionsAheadOfEnd(sum.partitionsAheadOfEnd())
            .setPartitionsFailed(sum.partitionsFailed());
    sum.maxStalenessMs().ifPresent(answer::setMaxStalenessMs);
    sum.maxSpanMs().ifPresent(answer::setMaxSpanMs);
    return answer.build();
  }

  private static io.whence.v1.LagStatus status(LagStatus status) {
    return switch (status) {
      case CAUGHT_UP -> io.whence.v1.LagStatus.LAG_STATUS_CAUGHT_UP;
      case BEHIND -> io.whence.v1.LagStatus.LAG_STATUS_BEHIND;
      case BELOW_START -> io.whence.v1.LagStatus.LAG_STATUS_BELOW_START;
      case AHEAD_OF_END -> io.whence.v1.LagStatus.LAG_STATUS_AHEAD_OF_END;
      case NO_OFFSET -> io.whence.v1.LagStatus.LAG_STATUS_NO_OFFSET;
      case STALE_TOPIC -> io.whence.v1.LagStatus.LAG_STATUS_STALE_TOPIC;
      case UNKNOWN_TOPIC -> io.whence.v1.LagStatus.LAG_STATUS_UNKNOWN_TOPIC;
      case UNKNOWN_PARTITION -> io.whence.v1.LagStatus.LAG_STATUS_UNKNOWN_PARTITION;
      case FAILED -> io.whence.v1.LagStatus.LAG_STATUS_FAILED;
    };
  }
}
