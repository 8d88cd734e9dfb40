package io.whence.grpc;

import io.whence.model.OffsetRange;
import io.whence.model.RecordStamp;
import io.whence.model.WindowResolution;
import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import io.whence.v1.WindowAnswer;

/** Window resolutions to answers. */
final class WindowAnswers {
  private WindowAnswers() {}

  /** Returns the answer of one partition. */
  static WindowAnswer answer(int partition, WindowResolution resolution, long stalenessMs) {
    WindowAnswer.Builder answer =
        WindowAnswer.newBuilder()
            .setPartition(partition)
            .setOutcome(Protos.outcome(resolution.outcome()))
            .setRecordCount(resolution.recordCount())
            .setOutsideCount(resolution.outsideCount())
            .setBounds(Protos.bounds(resolution.bounds()))
            .setStartCut(resolution.startCut())
            .setOrigin(Protos.origin(resolution.origin()))
            .setStalenessMs(stalenessMs);
    OffsetRange range = resolution.range();
    if (range != null) {
      answer.setRange(Protos.range(range));
    }
    RecordStamp first = resolution.firstRecord();
    if (first != null) {
      answer.setFirstRecord(Protos.record(first));
    }
    RecordStamp last = resolution.lastRecord();
    if (last != null) {
      answer.setLastRecord(Protos.record(last));
    }
    return answer.build();
  }

  /** Returns the answer of a partition that failed. */
  static WindowAnswer failed(int partition, PartitionError error) {
    return WindowAnswer.newBuilder()
        .setPartition(partition)
        .setOutcome(Outcome.OUTCOME_FAILED)
        .setError(error)
        .build();
  }
}
