package io.whence.example;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Why a whole call failed, by google.rpc.ErrorInfo and RetryInfo in its status. Programs decide by
 * reason; an empty one means that gRPC itself failed it. Immutable.
 */
record Failure(
    String status,
    String message,
    String reason,
    Map<String, String> metadata,
    Optional<Long> retryAfterMs) {
  /** Reads what the status of a failed call carries. */
  static Failure of(StatusRuntimeException exception) {
    Status status = exception.getStatus();
    String reason = "";
    Map<String, String> metadata = Map.of();
    Optional<Long> retryAfterMs = Optional.empty();
    try {
      for (Any detail : StatusProto.fromThrowable(exception).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          ErrorInfo info = detail.unpack(ErrorInfo.class);
          if (info.getDomain().equals("whence")) {
            reason = info.getReason();
            metadata = info.getMetadataMap();
          }
        } else if (detail.is(RetryInfo.class)) {
          var delay = detail.unpack(RetryInfo.class).getRetryDelay();
          retryAfterMs = Optional.of(Durations.toMillis(delay));
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the details of the status can't be read", e);
    }
    String message = status.getDescription() == null ? "" : status.getDescription();
    return new Failure(status.getCode().name(), message, reason, metadata, retryAfterMs);
  }

  /** Whether the same request may be sent again, if it changes nothing or has a request id. */
  boolean maySucceedLater() {
    return status.equals("UNAVAILABLE") || retryAfterMs.isPresent();
  }

  /** Whether the server was too busy for the request, and said when to try again. */
  boolean turnedAway() {
    return status.equals("RESOURCE_EXHAUSTED") && retryAfterMs.isPresent();
  }

  @Override
  public String toString() {
    String facts =
        new TreeMap<>(metadata)
            .entrySet().stream()
                .map(fact -> fact.getKey() + "=" + fact.getValue())
                .collect(Collectors.joining(", "));
    return status
        + (reason.isEmpty() ? "" : " " + reason)
        + (facts.isEmpty() ? "" : " (" + facts + ")")
        + ": "
        + message
        + retryAfterMs.map(ms -> "; retry after " + ms + " ms").orElse("");
  }
}
