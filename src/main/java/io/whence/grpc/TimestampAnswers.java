package io.whence.grpc;

import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.Resolution;
import io.whence.v1.PartitionError;
import io.whence.v1.TimestampAnswer;

/**
 * Resolutions to answers. Thread safety: immutable.
 *
 * @param serverTimeMs the clock of the server, in epoch milliseconds
 * @param stalenessMs how old the copy that answers is, in milliseconds
 */
record TimestampAnswers(long serverTimeMs, long stalenessMs) {

  /** Returns the answer of one partition. */
  TimestampAnswer answer(int partition, Target target, Resolution resolution) {
    TimestampAnswer.Builder answer =
        TimestampAnswer.newBuilder()
            .setPartition(partition)
            .setOutcome(Protos.outcome(resolution.outcome()))
            .setBounds(Protos.bounds(resolution.bounds()))
            .setStartCut(resolution.startCut())
            .setOrigin(Protos.origin(resolution.origin()))
            .setStalenessMs(stalenessMs);
    if (target.position() instanceof Position.AllAfter) {
      answer.setBoundaryOffset(resolution.boundaryOffset());
    }
    RecordStamp record = resolution.record();
    if (record != null) {
      answer
          .setRecord(Protos.record(record))
          .setFutureTimestamp(record.timestampMs() > serverTimeMs);
    }
    if (resolution.outcome() == Outcome.FOUND) {
      answer.setOffset(resolution.offset());
      if (target.timed() && record != null && record.hasTimestamp()) {
        answer.setDistanceMs(distance(record.timestampMs(), target.timestampMs()));
      }
    }
    return answer.build();
  }

  /** Returns the answer of a partition that failed. */
  static TimestampAnswer failed(int partition, PartitionError error) {
    return TimestampAnswer.newBuilder()
        .setPartition(partition)
        .setOutcome(io.whence.v1.Outcome.OUTCOME_FAILED)
        .setError(error)
        .build();
  }

  /** Saturates: with unusual times, a target may be as far away as a long allows. */
  static long distance(long timestampMs, long targetMs) {
    long distance = timestampMs - targetMs;
    boolean overflow = ((timestampMs ^ targetMs) & (timestampMs ^ distance)) < 0;
    return overflow ? (timestampMs < targetMs ? Long.MIN_VALUE : Long.MAX_VALUE) : distance;
  }
}
