package io.whence.bench;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Connections to the server, which callers share evenly. Thread safety: immutable.
 *
 * @param all the connections
 * @param callersEach how many callers share one
 */
public record Channels(List<ManagedChannel> all, int callersEach) implements AutoCloseable {
  /** How many callers share a connection where nothing else is said. */
  public static final int CALLERS_EACH = 4;

  private static final int MAX_RESPONSE_BYTES = 64 << 20;

  /** Copies the list. */
  public Channels {
    all = List.copyOf(all);
  }

  /** Opens as many as so many callers need. */
  public static Channels open(int port, int callers) {
    return open(port, callers, CALLERS_EACH);
  }

  /** Opens one for every so many callers. */
  public static Channels open(int port, int callers, int callersEach) {
    return new Channels(
        IntStream.range(0, (callers + callersEach - 1) / callersEach)
            .mapToObj(i -> open(port))
            .toList(),
        callersEach);
  }

  private static ManagedChannel open(int port) {
    return NettyChannelBuilder.forAddress("127.0.0.1", port)
        .usePlaintext()
        .maxInboundMessageSize(MAX_RESPONSE_BYTES)
        .build();
  }

  /** Returns the connection of a caller. */
  public ManagedChannel of(int caller) {
    return all.get(caller / callersEach);
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
