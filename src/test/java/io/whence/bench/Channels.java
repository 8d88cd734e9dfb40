package io.whence.bench;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Connections to the server: one for every four callers. Thread safety: immutable.
 *
 * @param all the connections
 */
record Channels(List<ManagedChannel> all) implements AutoCloseable {
  /** How many callers share a connection. */
  static final int CALLERS_EACH = 4;

  private static final int MAX_RESPONSE_BYTES = 64 << 20;

  Channels {
    all = List.copyOf(all);
  }

  /** Opens as many as so many callers need. */
  static Channels open(int port, int callers) {
    return new Channels(
        IntStream.range(0, (callers + CALLERS_EACH - 1) / CALLERS_EACH)
            .mapToObj(i -> open(port))
            .toList());
  }

  private static ManagedChannel open(int port) {
    return NettyChannelBuilder.forAddress("127.0.0.1", port)
        .usePlaintext()
        .maxInboundMessageSize(MAX_RESPONSE_BYTES)
        .build();
  }

  /** Returns the connection of a caller. */
  ManagedChannel of(int caller) {
    return all.get(caller / CALLERS_EACH);
  }

  @Override
  public void close() {
    all.forEach(ManagedChannel::shutdownNow);
    try {
      for (ManagedChannel channel : all) {
        if (!channel.awaitTermination(10, TimeUnit.SECONDS)) {
          throw new IllegalStateException("a connection doesn't close");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
