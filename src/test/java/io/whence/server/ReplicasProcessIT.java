package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.NameResolverRegistry;
import io.grpc.netty.NettyChannelBuilder;
import io.whence.testkit.Directories;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Several servers behind one name: clients with {@code round_robin} spread over all, hear of a new
 * one when a connection has reached its age, and leave one that goes.
 */
class ReplicasProcessIT {
  private static final long T = 1_717_200_000_000L;
  private static final int CLIENTS = 10;
  private static final Duration AGE = Duration.ofSeconds(2);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final ResolveTimestampRequest REQUEST =
      ResolveTimestampRequest.newBuilder()
          .addQueries(
              TimestampQuery.newBuilder()
                  .setTopic("orders")
                  .setPosition(
                      Position.newBuilder().setAtOrAfter(TimePoint.newBuilder().setEpochMs(T + 1))))
          .build();

  private final Path data = Directories.temporary("whence-replicas");
  private final List<ServerProcess> servers = new ArrayList<>();
  private final List<Caller> callers = new ArrayList<>();
  private final PodNames names = new PodNames();
  private final Map<Integer, LongAdder> callsByPort = new ConcurrentHashMap<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @AfterEach
  void stop() throws InterruptedException {
    try {
      for (Caller caller : callers) {
        caller.close();
      }
    } finally {
      servers.forEach(ServerProcess::close);
      NameResolverRegistry.getDefaultRegistry().deregister(names);
      Directories.delete(data);
    }
  }

  @Test
  void serverThatComes_hasItsShareWithinTheAgeOfConnections_noCallFails() throws Exception {
    begin(2);

    int added = start();

    // All clients know it once each had a connection end, which is after its age and 10 % at most.
    await()
        .atMost(LIMIT)
        .until(() -> callers.stream().allMatch(caller -> caller.ports.contains(added)));
    observe();
    assertThat(failures).isEmpty();
    assertShares(3);
  }

  @Test
  void serverThatGoes_othersHaveItsShare_noCallFails() throws Exception {
    begin(3);
    ServerProcess gone = servers.get(0);
    int port = gone.grpcPort();

    names.remove(port);
    gone.terminate();

    assertThat(gone.exitCode()).isZero();
    observe();
    assertThat(failures).isEmpty();
    assertThat(callsByPort).doesNotContainKey(port);
    assertShares(2);
  }

  private void begin(int serverCount) throws InterruptedException {
    for (int i = 0; i < serverCount; i++) {
      start();
    }
    NameResolverRegistry.getDefaultRegistry().register(names);
    for (int i = 0; i < CLIENTS; i++) {
      callers.add(new Caller());
    }
    await().atMost(LIMIT).until(() -> calls() > 100 && callsByPort.size() == serverCount);
  }

  /** Counts anew, for longer than connections live. */
  private void observe() {
    callsByPort.clear();
    long begun = System.nanoTime();
    await()
        .atMost(LIMIT)
        .until(() -> calls() > 1_000 && System.nanoTime() - begun > 3 * AGE.toNanos());
  }

  private void assertShares(int serverCount) {
    // Connections end all the time, and not all servers have run for long.
    double least = 0.5 * calls() / serverCount;
    assertThat(callsByPort).hasSize(serverCount);
    assertThat(callsByPort.values()).allMatch(count -> count.sum() > least);
  }

  /** Starts a server, and tells clients of it once it is ready. */
  private int start() throws InterruptedException {
    ServerProcess server =
        ServerProcess.start(
            data.resolve("server-" + servers.size()),
            "whence.grpc.max-connection-age=" + AGE.toSeconds() + "s",
            "whence.shutdown.delay=1s");
    servers.add(server);
    try (Client client = server.client()) {
      client.topic("orders", 1, T, T + 1_000);
    }
    names.add(server.grpcPort());
    return server.grpcPort();
  }

  private long calls() {
    return callsByPort.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** One client with a channel of its own, which asks up to 100 times a second. */
  private final class Caller implements ClientInterceptor, AutoCloseable {
    private final Set<Integer> ports = ConcurrentHashMap.newKeySet();
    private final ManagedChannel channel =
        NettyChannelBuilder.forTarget(PodNames.TARGET, InsecureChannelCredentials.create())
            .defaultLoadBalancingPolicy("round_robin")
            .intercept(this)
            .build();
    private final ResolverServiceGrpc.ResolverServiceBlockingStub stub =
        ResolverServiceGrpc.newBlockingStub(channel);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    Caller() {
      timer.scheduleWithFixedDelay(this::ask, 0, 10, TimeUnit.MILLISECONDS);
    }

    private void ask() {
      try {
        TimestampAnswer answer =
            stub.withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .resolveTimestamp(REQUEST)
                .getResults(0)
                .getAnswers(0);
        assertThat(answer.getOffset()).isEqualTo(1);
      } catch (RuntimeException | AssertionError e) {
        failures.add(e);
      }
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      ClientCall<Q, R> call = next.newCall(method, options);
      return new SimpleForwardingClientCall<>(call) {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                public void onHeaders(Metadata answered) {
                  count(call);
                  super.onHeaders(answered);
                }
              },
              headers);
        }
      };
    }

    private void count(ClientCall<?, ?> call) {
      var address = (InetSocketAddress) call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
      ports.add(address.getPort());
      callsByPort.computeIfAbsent(address.getPort(), port -> new LongAdder()).increment();
    }

    @Override
    public void close() throws InterruptedException {
      timer.shutdown();
      assertThat(timer.awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      channel.shutdownNow();
      channel.awaitTermination(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
