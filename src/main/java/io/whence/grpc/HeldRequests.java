package io.whence.grpc;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory the requests take that wait or are in work: those of one connection, and of all.
 * There is room for so much; no connection may have all of it. Whatever its size, a request is let
 * in where there is no other, or it never could be. Thread safety: thread-safe.
 */
final class HeldRequests {
  /** Of all connections: this part of the memory that there may be. */
  private static final int MEMORY_SHARE = 8;

  /** Of one connection: this part of that. */
  private static final int CONNECTION_SHARE = 4;

  private final AtomicLong bytesOfAll;
  private final AtomicLong bytes = new AtomicLong();

  /** Makes those of one connection. */
  HeldRequests(AtomicLong bytesOfAll) {
    this.bytesOfAll = bytesOfAll;
  }

  /** Returns how many bytes the requests of all connections may take. */
  static long maxBytesOfAll() {
    return Runtime.getRuntime().maxMemory() / MEMORY_SHARE;
  }

  /** Returns how many bytes the requests of one connection may take. */
  static long maxBytes() {
    return maxBytesOfAll() / CONNECTION_SHARE;
  }

  /**
   * Counts a request, which is to {@link #leave}; returns why there is no room for it, if so, and
   * then it is not counted.
   */
  Optional<String> enter(long requestBytes) {
    long before = bytes.getAndAdd(requestBytes);
    long beforeOfAll = bytesOfAll.getAndAdd(requestBytes);
    Optional<String> refusal = Optional.empty();
    if (before > 0 && before + requestBytes > maxBytes()) {
      refusal = Optional.of("requests of this connection take " + before + " bytes of memory");
    } else if (beforeOfAll > 0 && beforeOfAll + requestBytes > maxBytesOfAll()) {
      refusal = Optional.of("requests that wait take " + beforeOfAll + " bytes of memory");
    }
    if (refusal.isPresent()) {
      leave(requestBytes);
    }
    return refusal;
  }

  /** Counts a request no longer. */
  void leave(long requestBytes) {
    bytes.addAndGet(-requestBytes);
    bytesOfAll.addAndGet(-requestBytes);
  }

  /** Returns how many bytes those of the connection take. */
  long bytes() {
    return bytes.get();
  }
}
