package io.whence.cli;

import grpc.health.v1.HealthGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.okhttp.OkHttpChannelBuilder;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.GroupOffsetsServiceGrpc.GroupOffsetsServiceBlockingStub;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.LogServiceGrpc.LogServiceBlockingStub;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.ResolverServiceGrpc.ResolverServiceBlockingStub;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/** A connection to one server; every call has a deadline. Single-writer. */
public final class Client implements AutoCloseable {
  // Answers for 10,000 partitions take about 1 MiB; 10,000 records read may take more.
  private static final int MAX_ANSWER_BYTES = 128 << 20;

  private final String server;
  private final Duration timeout;
  private final ManagedChannel channel;

  private Client(String server, Duration timeout, ManagedChannel channel) {
    this.server = server;
    this.timeout = timeout;
    this.channel = channel;
  }

  /** Opens a connection in the clear; nothing is sent before the first call. */
  public static Client open(String server, Duration timeout) {
    return open(server, timeout, Transport.PLAINTEXT);
  }

  /** Opens a connection to {@code HOST:PORT}; nothing is sent before the first call. */
  public static Client open(String server, Duration timeout, Transport transport) {
    OkHttpChannelBuilder channel =
        OkHttpChannelBuilder.forTarget("dns:///" + escaped(server), transport.credentials())
            .maxInboundMessageSize(MAX_ANSWER_BYTES);
    if (!transport.serverName().isEmpty()) {
      channel.overrideAuthority(transport.serverName());
    }
    return new Client(server, timeout, channel.build());
  }

  /** Returns the server as it stands in a URI: the brackets of IPv6 addresses may not. */
  private static String escaped(String server) {
    return server.replace("%", "%25").replace("[", "%5B").replace("]", "%5D");
  }

  /** Returns the server as HOST:PORT. */
  public String server() {
    return server;
  }

  /**
   * Asks the log service.
   *
   * @throws CallFailedException if the call fails as a whole
   */
  public <R> R log(Function<LogServiceBlockingStub, R> call) {
    return ask(
        call,
        LogServiceGrpc.newBlockingStub(channel).withDeadlineAfter(nanos(), TimeUnit.NANOSECONDS));
  }

  /**
   * Asks the resolver service.
   *
   * @throws CallFailedException if the call fails as a whole
   */
  public <R> R resolver(Function<ResolverServiceBlockingStub, R> call) {
    return ask(
        call,
        ResolverServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(nanos(), TimeUnit.NANOSECONDS));
  }

  /**
   * Watches moments until the server has told all, or as long as the events are wanted.
   *
   * @param limit how long it may take; the timeout of other calls doesn't count
   * @param onEvent takes an event; returns whether to go on
   * @throws CallFailedException if the call fails as a whole, also after some events
   */
  void watch(
      WatchTimestampRequest request, Duration limit, Predicate<WatchTimestampResponse> onEvent) {
    ResolverServiceBlockingStub stub =
        ResolverServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS);
    boolean unused =
        ask(
            resolver -> {
              Iterator<WatchTimestampResponse> events = resolver.watchTimestamp(request);
              boolean wanted = true;
              while (wanted && events.hasNext()) {
                wanted = onEvent.test(events.next());
              }
              return wanted;
            },
            stub);
  }

  /**
   * Asks the group offsets service.
   *
   * @throws CallFailedException if the call fails as a whole
   */
  public <R> R groups(Function<GroupOffsetsServiceBlockingStub, R> call) {
    return ask(
        call,
        GroupOffsetsServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(nanos(), TimeUnit.NANOSECONDS));
  }

  /**
   * Asks the health service.
   *
   * @throws CallFailedException if the call fails as a whole
   */
  public <R> R health(Function<HealthGrpc.HealthBlockingStub, R> call) {
    return ask(
        call, HealthGrpc.newBlockingStub(channel).withDeadlineAfter(nanos(), TimeUnit.NANOSECONDS));
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  private long nanos() {
    return timeout.toNanos();
  }

  private <S, R> R ask(Function<S, R> call, S stub) {
    try {
      return call.apply(stub);
    } catch (StatusRuntimeException e) {
      throw new CallFailedException(server, e);
    }
  }
}
