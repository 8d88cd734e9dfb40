package io.whence.grpc;

import io.whence.model.WhenceException;
import io.whence.v1.StreamResolveTimestampRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request of a stream until it is answered or begun. One that there is no room for is kept no
 * longer than its tag. Thread safety: single-writer; one thread after the other.
 */
final class StreamedRequest {
  private static final long NOT_COUNTED = -1;

  private final long serverTimeMs;
  private StreamResolveTimestampRequest message;
  private @Nullable WhenceException refusal;
  private long heldBytes = NOT_COUNTED;

  /**
   * Takes a request that arrived.
   *
   * @param serverTimeMs the clock of the server when it did, in epoch milliseconds
   */
  StreamedRequest(StreamResolveTimestampRequest message, long serverTimeMs) {
    this.message = message;
    this.serverTimeMs = serverTimeMs;
  }

  /**
   * Counts the memory of the request once, as it has to wait; returns why there is no room for it,
   * if so.
   *
   * @param held the requests of its connection
   */
  Optional<String> hold(HeldRequests held) {
    if (heldBytes != NOT_COUNTED || refusal != null) {
      return Optional.empty();
    }
    long bytes = RequestBytes.of(message.getRequest());
    Optional<String> full = held.enter(bytes);
    heldBytes = full.isEmpty() ? bytes : NOT_COUNTED;
    return full;
  }

  /** Counts the memory of the request no longer: its turn has come, or never will. */
  void letGo(HeldRequests held) {
    if (heldBytes != NOT_COUNTED) {
      held.leave(heldBytes);
      heldBytes = NOT_COUNTED;
    }
  }

  /** Refuses the request: its client is told so when its turn comes. */
  void refuse(WhenceException failure) {
    refusal = failure;
    message = StreamResolveTimestampRequest.newBuilder().setTag(message.getTag()).build();
  }

  /** Returns the request; where it was refused, its tag alone. */
  StreamResolveTimestampRequest message() {
    return message;
  }

  long serverTimeMs() {
    return serverTimeMs;
  }

  /** Returns why it was refused, if so. */
  Optional<WhenceException> refusal() {
    return Optional.ofNullable(refusal);
  }
}
