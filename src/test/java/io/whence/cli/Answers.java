package io.whence.cli;

import io.whence.v1.AppendResponse;
import io.whence.v1.AppendResult;
import io.whence.v1.OffsetRange;
import io.whence.v1.Outcome;
import io.whence.v1.PositionKind;
import io.whence.v1.RecordInfo;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQueryResult;
import io.whence.v1.WindowAnswer;

/** Answers that several tests let the fake server give. */
final class Answers {
  private Answers() {}

  static ResolveTimestampResponse timestamps(TimestampAnswer.Builder... answers) {
    TimestampQueryResult.Builder result =
        TimestampQueryResult.newBuilder()
            .setTopic("orders")
            .setPositionKind(PositionKind.POSITION_KIND_AT_OR_AFTER)
            .setTargetTimestampMs(1_709_964_000_000L);
    for (TimestampAnswer.Builder answer : answers) {
      result.addAnswers(answer);
    }
    return ResolveTimestampResponse.newBuilder().setSource("embedded").addResults(result).build();
  }

  static TimestampAnswer.Builder found(int partition, long offset) {
    return TimestampAnswer.newBuilder()
        .setPartition(partition)
        .setOutcome(Outcome.OUTCOME_FOUND)
        .setOffset(offset);
  }

  static WindowAnswer window(int partition, long start, long end, long records, long out) {
    return WindowAnswer.newBuilder()
        .setPartition(partition)
        .setOutcome(Outcome.OUTCOME_FOUND)
        .setRange(OffsetRange.newBuilder().setStartOffset(start).setEndOffset(end))
        .setRecordCount(records)
        .setOutsideCount(out)
        .setFirstRecord(RecordInfo.newBuilder().setOffset(start).setTimestampMs(1_709_964_001_000L))
        .setLastRecord(
            RecordInfo.newBuilder().setOffset(end - 1).setTimestampMs(1_709_967_599_000L))
        .build();
  }

  static AppendResponse appended(long start, long end) {
    return AppendResponse.newBuilder()
        .addResults(
            AppendResult.newBuilder()
                .setRange(OffsetRange.newBuilder().setStartOffset(start).setEndOffset(end)))
        .build();
  }
}
