package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.testkit.BytesMarshaller;
import io.whence.v1.DescribeTopicRequest;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.LogServiceGrpc;
import io.whence.v1.ResolverServiceGrpc;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code whence_calls_seconds} has the status that the client saw, whatever way a call ends. */
@QuarkusTest
@TestProfile(ServerTestProfile.class)
class CallStatusTest {
  /** Neither a tag nor a length that fits. */
  private static final byte[] GARBAGE = {10, 127, 1};

  private static final byte[] OVERSIZED = new byte[5 << 20];
  private static final Duration SHORT = Duration.ofMillis(500);

  @Inject GrpcServerHandle server;
  @Inject MeterRegistry registry;

  private Client client;

  @BeforeEach
  void connect() {
    client = new Client(server.port());
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
  }

  static Stream<MethodDescriptor<?, ?>> methods() {
    return Stream.of(
            ResolverServiceGrpc.getServiceDescriptor(),
            LogServiceGrpc.getServiceDescriptor(),
            GroupOffsetsServiceGrpc.getServiceDescriptor())
        .flatMap(service -> service.getMethods().stream());
  }

  @ParameterizedTest
  @MethodSource("methods")
  void failures_areCountedAsTheClientSawThem(MethodDescriptor<?, ?> method) {
    byte[] unknownSource = "\n\007nowhere".getBytes(StandardCharsets.US_ASCII);
    assertThat(counted(method, unknownSource))
        .isIn(Status.Code.NOT_FOUND, Status.Code.INVALID_ARGUMENT, Status.Code.OK);
    assertThat(counted(method, GARBAGE)).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(counted(method, OVERSIZED)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
  }

  @ParameterizedTest
  @MethodSource("methods")
  void callsGivenUp_areCountedAsTheClientSawThem(MethodDescriptor<?, ?> method) {
    Map<String, Long> before = counts(method);
    Call late = new Call(method, CallOptions.DEFAULT.withDeadlineAfter(SHORT));
    reachServer();
    assertThat(late.status()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    requireCounted(method, before, late.status());

    before = counts(method);
    Call given = new Call(method, CallOptions.DEFAULT.withDeadlineAfter(Duration.ofMinutes(1)));
    reachServer();
    given.call.cancel("wanted no longer", null);
    assertThat(given.status()).isEqualTo(Status.Code.CANCELLED);
    requireCounted(method, before, given.status());
  }

  /** A call begins on the wire with its first message, or with another one on its connection. */
  private void reachServer() {
    assertThat(client.health.check(HealthCheckRequest.getDefaultInstance())).isNotNull();
  }

  @Test
  void answers_areCountedAsTheClientSawThem() {
    assertThat(counted(LogServiceGrpc.getListTopicsMethod(), new byte[0]))
        .isEqualTo(Status.Code.OK);
    assertThat(counted(GroupOffsetsServiceGrpc.getListGroupsMethod(), new byte[0]))
        .isEqualTo(Status.Code.OK);
    assertThat(describe("there-is-none")).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(describe(FakeSource.AWAY)).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(describe(FakeSource.EXPLODING)).isEqualTo(Status.Code.INTERNAL);
  }

  @Test
  void methodsThatAreNotThere_areNotTold() {
    Call call =
        new Call(
            LogServiceGrpc.getListTopicsMethod().toBuilder()
                .setFullMethodName("whence.v1.LogService/Guess" + System.nanoTime())
                .build(),
            CallOptions.DEFAULT);
    call.send(new byte[0]);
    assertThat(call.status()).isEqualTo(Status.Code.UNIMPLEMENTED);
    await(() -> !counts("other").isEmpty());
    assertThat(registry.find("whence.calls").timers())
        .allSatisfy(timer -> assertThat(timer.getId().getTag("rpc")).doesNotContain("Guess"));
    assertThat(counts("other")).containsKey("UNIMPLEMENTED");
  }

  private Status.Code describe(String topic) {
    return counted(
        LogServiceGrpc.getDescribeTopicMethod(),
        DescribeTopicRequest.newBuilder().setTopic(topic).build().toByteArray());
  }

  /** Makes a call; returns what its client saw, once that is counted and nothing else is. */
  private Status.Code counted(MethodDescriptor<?, ?> method, byte[] message) {
    Map<String, Long> before = counts(method);
    Call call = new Call(method, CallOptions.DEFAULT.withDeadlineAfter(Duration.ofMinutes(1)));
    call.send(message);
    requireCounted(method, before, call.status());
    return call.status();
  }

  private void requireCounted(
      MethodDescriptor<?, ?> method, Map<String, Long> before, Status.Code seen) {
    Map<String, Long> expected = new TreeMap<>(before);
    expected.merge(seen.name(), 1L, Long::sum);
    await(() -> sum(counts(method)) >= sum(expected));
    assertThat(counts(method)).isEqualTo(expected);
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private Map<String, Long> counts(MethodDescriptor<?, ?> method) {
    return counts(method.getBareMethodName());
  }

  private Map<String, Long> counts(@Nullable String rpc) {
    Map<String, Long> counts = new TreeMap<>();
    for (Timer timer : registry.find("whence.calls").tag("rpc", rpc).timers()) {
      counts.put(timer.getId().getTag("status"), timer.count());
    }
    return counts;
  }

  private static void await(java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(60))
        .until(condition);
  }

  /** A call whose messages are bytes. */
  private final class Call extends ClientCall.Listener<byte[]> {
    private final ClientCall<byte[], byte[]> call;
    private final CompletableFuture<Status.Code> ended = new CompletableFuture<>();

    Call(MethodDescriptor<?, ?> method, CallOptions options) {
      call =
          client.channel.newCall(
              MethodDescriptor.newBuilder(new BytesMarshaller(), new BytesMarshaller())
                  .setFullMethodName(method.getFullMethodName())
                  .setType(method.getType())
                  .build(),
              options);
      call.start(this, new Metadata());
      call.request(10);
    }

    void send(byte[] message) {
      call.sendMessage(message);
      call.halfClose();
    }

    Status.Code status() {
      return ended.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      ended.complete(status.getCode());
    }
  }
}
