package io.whence.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.PartitionError;
import java.util.Map;

/**
 * The error contract: the one table from reasons to status codes, and the details that a failure
 * carries. docs/errors.md is checked against it. Failures of whole calls travel in trailers, so all
 * texts are cut to what clients accept there.
 */
final class GrpcErrors {
  /** The domain of every {@link ErrorInfo}. */
  static final String DOMAIN = "whence";

  private static final int MAX_MESSAGE_LENGTH = 1000;
  private static final int MAX_VALUE_LENGTH = 200;
  private static final Duration RETRY_OVERLOADED =
      Duration.newBuilder().setNanos(100_000_000).build();
  private static final Duration RETRY_UNAVAILABLE = Duration.newBuilder().setSeconds(1).build();

  private GrpcErrors() {}

  /** Returns the status code of a call that fails for this reason. */
  static Status.Code code(ErrorReason reason) {
    return switch (reason) {
      case INVALID_ARGUMENT,
          INVALID_TIME,
          INVALID_TIMESTAMP,
          RECORD_TOO_LARGE,
          LIMIT_EXCEEDED,
          METADATA_TOO_LARGE,
          REQUEST_ID_REUSED,
          INTERNAL_TOPIC ->
          Status.Code.INVALID_ARGUMENT;
      case UNKNOWN_SOURCE, UNKNOWN_TOPIC, UNKNOWN_PARTITION, UNKNOWN_GROUP, UNKNOWN_PLAN ->
          Status.Code.NOT_FOUND;
      case PARTITION_COUNT_CHANGED,
          STALE_TOPIC,
          READ_ONLY_SOURCE,
          UNSUPPORTED_FORMAT,
          REGRESSION,
          FENCED,
          PLAN_OUTDATED,
          PLAN_INCOMPLETE,
          FALLBACK_NOT_ACCEPTED,
          GROUP_ACTIVE,
          NOT_FOLLOWED ->
          Status.Code.FAILED_PRECONDITION;
      case TOPIC_EXISTS -> Status.Code.ALREADY_EXISTS;
      case CONFLICT -> Status.Code.ABORTED;
      case OFFSET_OUT_OF_RANGE -> Status.Code.OUT_OF_RANGE;
      case DAMAGED_LOG -> Status.Code.DATA_LOSS;
      case STORAGE_FULL, OVERLOADED -> Status.Code.RESOURCE_EXHAUSTED;
      case NOT_AUTHORIZED -> Status.Code.PERMISSION_DENIED;
      case STORAGE_ERROR, NOT_READY, DRAINING, LEADER_UNAVAILABLE -> Status.Code.UNAVAILABLE;
      case DEADLINE_EXCEEDED -> Status.Code.DEADLINE_EXCEEDED;
      case UNSUPPORTED -> Status.Code.UNIMPLEMENTED;
      case INTERNAL -> Status.Code.INTERNAL;
    };
  }

  /** Returns the protobuf value of the same name. */
  static io.whence.v1.ErrorReason proto(ErrorReason reason) {
    return io.whence.v1.ErrorReason.valueOf("ERROR_REASON_" + reason.name());
  }

  /** Returns the failure of one partition, query or entry; there may be very many in a response. */
  static PartitionError partitionError(WhenceException failure) {
    PartitionError.Builder error =
        PartitionError.newBuilder()
            .setReason(proto(failure.reason()))
            .setMessage(cut(failure.getMessage(), MAX_MESSAGE_LENGTH))
            .setRetriable(failure.reason().isRetriable());
    failure
        .metadata()
        .forEach((name, value) -> error.putMetadata(name, cut(value, MAX_MESSAGE_LENGTH)));
    return error.build();
  }

  /** Returns the failure of a whole call, with its details. */
  static StatusRuntimeException status(WhenceException failure) {
    String message = cut(failure.getMessage(), MAX_MESSAGE_LENGTH);
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(code(failure.reason()).value())
            .setMessage(message)
            .addDetails(Any.pack(errorInfo(failure)));
    String field = failure.metadata().get("field");
    if (field != null) {
      status.addDetails(Any.pack(fieldViolation(cut(field, MAX_VALUE_LENGTH), message)));
    }
    Duration delay = retryDelay(failure);
    if (!delay.equals(Duration.getDefaultInstance())) {
      status.addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(delay).build()));
    }
    return StatusProto.toStatusRuntimeException(status.build());
  }

  /** Returns what a client is told of a fault of the server: nothing but that the log says more. */
  static WhenceException internal() {
    return WhenceException.of(ErrorReason.INTERNAL, "the server failed on this; its log says more");
  }

  private static ErrorInfo errorInfo(WhenceException failure) {
    ErrorInfo.Builder info =
        ErrorInfo.newBuilder().setDomain(DOMAIN).setReason(failure.reason().name());
    for (Map.Entry<String, String> fact : failure.metadata().entrySet()) {
      info.putMetadata(fact.getKey(), cut(fact.getValue(), MAX_VALUE_LENGTH));
    }
    return info.build();
  }

  private static BadRequest fieldViolation(String field, String message) {
    return BadRequest.newBuilder()
        .addFieldViolations(
            BadRequest.FieldViolation.newBuilder().setField(field).setDescription(message))
        .build();
  }

  private static Duration retryDelay(WhenceException failure) {
    String afterMs = failure.metadata().get(Overload.RETRY_AFTER_MS);
    if (afterMs != null) {
      return Durations.fromMillis(Long.parseLong(afterMs));
    }
    return switch (failure.reason()) {
      case OVERLOADED -> RETRY_OVERLOADED;
      case NOT_READY, DRAINING -> RETRY_UNAVAILABLE;
      default -> Duration.getDefaultInstance();
    };
  }

  /** Cuts text to so many bytes of UTF-8, which is what travels. */
  private static String cut(String text, int length) {
    int bytes = 0;
    int end = 0;
    while (end < text.length()) {
      int character = text.codePointAt(end);
      bytes += utf8Length(character);
      if (bytes > length) {
        return text.substring(0, end) + "…";
      }
      end += Character.charCount(character);
    }
    return text;
  }

  private static int utf8Length(int character) {
    if (character < 0x80) {
      return 1;
    }
    if (character < 0x800) {
      return 2;
    }
    return character < 0x10000 ? 3 : 4;
  }
}
