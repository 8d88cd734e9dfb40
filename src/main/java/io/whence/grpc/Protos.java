package io.whence.grpc;

import io.whence.model.LogBounds;
import io.whence.model.Origin;
import io.whence.model.Outcome;
import io.whence.model.RecordStamp;
import io.whence.model.TimestampType;
import io.whence.v1.IsolationLevel;
import io.whence.v1.OffsetRange;
import io.whence.v1.RecordInfo;

/** Model values to protobuf values, and the isolation level back. */
final class Protos {
  private Protos() {}

  static io.whence.model.IsolationLevel isolation(IsolationLevel level, int number) {
    return switch (level) {
      case ISOLATION_LEVEL_UNSPECIFIED, ISOLATION_LEVEL_READ_UNCOMMITTED ->
          io.whence.model.IsolationLevel.READ_UNCOMMITTED;
      case ISOLATION_LEVEL_READ_COMMITTED -> io.whence.model.IsolationLevel.READ_COMMITTED;
      case UNRECOGNIZED ->
          throw BadRequests.invalid(
              FieldPath.of("isolation_level"), number, number + " is no isolation level");
    };
  }

  static io.whence.v1.Outcome outcome(Outcome outcome) {
    return switch (outcome) {
      case FOUND -> io.whence.v1.Outcome.OUTCOME_FOUND;
      case AFTER_END -> io.whence.v1.Outcome.OUTCOME_AFTER_END;
      case BEFORE_START -> io.whence.v1.Outcome.OUTCOME_BEFORE_START;
      case EMPTY -> io.whence.v1.Outcome.OUTCOME_EMPTY;
      case NO_TIMESTAMP -> io.whence.v1.Outcome.OUTCOME_NO_TIMESTAMP;
      case NONE_IN_WINDOW -> io.whence.v1.Outcome.OUTCOME_NONE_IN_WINDOW;
    };
  }

  static io.whence.v1.Origin origin(Origin origin) {
    return switch (origin) {
      case MEMORY -> io.whence.v1.Origin.ORIGIN_MEMORY;
      case LOG_SCAN -> io.whence.v1.Origin.ORIGIN_LOG_SCAN;
      case BROKER -> io.whence.v1.Origin.ORIGIN_BROKER;
    };
  }

  static io.whence.v1.LogBounds bounds(LogBounds bounds) {
    return io.whence.v1.LogBounds.newBuilder()
        .setLogStartOffset(bounds.logStartOffset())
        .setEndOffset(bounds.endOffset())
        .build();
  }

  static OffsetRange range(io.whence.model.OffsetRange range) {
    return OffsetRange.newBuilder()
        .setStartOffset(range.startOffset())
        .setEndOffset(range.endOffset())
        .build();
  }

  static RecordInfo record(RecordStamp stamp) {
    RecordInfo.Builder info =
        RecordInfo.newBuilder()
            .setOffset(stamp.offset())
            .setTimestampType(timestampType(stamp.timestampType()));
    if (stamp.hasTimestamp()) {
      info.setTimestampMs(stamp.timestampMs());
    }
    stamp.leaderEpoch().ifPresent(info::setLeaderEpoch);
    return info.build();
  }

  static io.whence.v1.TimestampType timestampType(TimestampType type) {
    return switch (type) {
      case CREATE_TIME -> io.whence.v1.TimestampType.TIMESTAMP_TYPE_CREATE_TIME;
      case LOG_APPEND_TIME -> io.whence.v1.TimestampType.TIMESTAMP_TYPE_LOG_APPEND_TIME;
      case UNKNOWN -> io.whence.v1.TimestampType.TIMESTAMP_TYPE_UNSPECIFIED;
    };
  }
}
