package io.whence.grpc;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of answers clients have not taken: those of one connection, and of all. They wait
 * in memory, so who leaves too many unread gets no further large ones. Thread safety: thread-safe.
 */
final class UnreadAnswers {
  /** Of one connection. */
  static final long MAX_BYTES = 32L << 20;

  /** Of all connections: this part of the memory that there may be. */
  private static final int MEMORY_SHARE = 8;

  private final AtomicLong bytesOfAll;
  private final AtomicLong bytes = new AtomicLong();

  /** Makes those of one connection. */
  UnreadAnswers(AtomicLong bytesOfAll) {
    this.bytesOfAll = bytesOfAll;
  }

  /** Counts an answer that was sent, or, with a negative number, one that was taken. */
  void add(long count) {
    bytes.addAndGet(count);
    bytesOfAll.addAndGet(count);
  }

  long bytes() {
    return bytes.get();
  }

  /** Returns why no further large answer is made, if so. */
  Optional<String> refusal() {
    if (bytes.get() > MAX_BYTES) {
      return Optional.of(
          "the client has not read " + bytes + " bytes of answers on this connection");
    }
    return bytesOfAll.get() > Runtime.getRuntime().maxMemory() / MEMORY_SHARE
        ? Optional.of("clients have not read " + bytesOfAll + " bytes of answers")
        : Optional.empty();
  }
}
