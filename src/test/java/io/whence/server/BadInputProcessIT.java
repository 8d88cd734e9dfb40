package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.whence.testkit.BytesMarshaller;
import io.whence.testkit.Directories;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.ErrorReason;
import io.whence.v1.LocalTime;
import io.whence.v1.Position;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bad input for a real server with little memory: each is refused with its field, none harms. */
class BadInputProcessIT {
  private static final String RESOLVE = "whence.v1.ResolverService/ResolveTimestamp";
  private static final long T = 1_717_200_000_000L;
  private static final int MANY = 10_000;
  private static final MethodDescriptor<byte[], byte[]> RAW_RESOLVE =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName(RESOLVE)
          .setRequestMarshaller(new BytesMarshaller())
          .setResponseMarshaller(new BytesMarshaller())
          .build();

  private static Path data;
  private static ServerProcess server;

  private Client client;

  @BeforeAll
  static void start() throws InterruptedException {
    data = Directories.temporary("whence-bad-input");
    server = ServerProcess.start(data);
    try (Client client = server.client()) {
      client.topic("orders", 2, T, T + 1);
    }
  }

  @AfterAll
  static void stop() {
    server.close();
    Directories.delete(data);
  }

  @BeforeEach
  void connect() {
    client = server.client();
  }

  @AfterEach
  void serverGoesOn() throws InterruptedException {
    TimestampAnswer answer =
        ask("orders", 0, TimePoint.newBuilder().setEpochMs(T + 1).build())
            .getResults(0)
            .getAnswers(0);
    assertThat(answer.getOffset()).isEqualTo(1);
    client.close();
  }

  private static AppendRequest append(ByteString value) {
    return AppendRequest.newBuilder()
        .addEntries(
            AppendEntry.newBuilder()
                .setTopic("orders")
                .addRecords(RecordData.newBuilder().setTimestampMs(T).setValue(value)))
        .build();
  }

  @Test
  void hugeRequest_refusedWithBothSizes() {
    AppendRequest request = append(ByteString.copyFrom(new byte[100_000_000]));
    StatusRuntimeException failure = Client.failure(() -> client.log.append(request));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(failure).hasMessageContaining("4194304").hasMessageContaining("1000000");
  }

  /** Compressed, millions of messages take a few thousand bytes: too many must not be made. */
  @Test
  void compressedRequestsOfTooManyMessages_refusedBeforeTheyAreMade() throws Exception {
    ByteString empty = ByteString.copyFrom(new byte[] {0x22, 0}); // An empty query.
    ByteString request = ByteString.EMPTY;
    for (ByteString part = empty; request.size() + part.size() < 4_000_000; ) {
      request = request.concat(part);
      part = part.concat(part);
    }
    byte[] bytes = request.toByteArray();
    CallOptions options =
        CallOptions.DEFAULT.withCompression("gzip").withDeadlineAfter(30, TimeUnit.SECONDS);
    for (int i = 0; i < 20; i++) {
      StatusRuntimeException failure =
          Client.failure(
              () -> ClientCalls.blockingUnaryCall(client.channel, RAW_RESOLVE, options, bytes));
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(Client.reason(failure)).isEqualTo("LIMIT_EXCEEDED");
    }
    assertThat(server.log()).doesNotContain("blocked", "OutOfMemoryError");
  }

  @Test
  void compressedRequest_answered_tooLargeOne_refusedWithTheSize() {
    TimePoint time = TimePoint.newBuilder().setEpochMs(T).build();
    assertThat(
            client
                .resolver
                .withCompression("gzip")
                .resolveTimestamp(request("orders", 0, time))
                .getResults(0)
                .getAnswers(0)
                .getOffset())
        .isZero();

    AppendRequest large = append(ByteString.copyFrom(new byte[5_000_000]));
    StatusRuntimeException failure =
        Client.failure(() -> client.log.withCompression("gzip").append(large));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(failure).hasMessageContaining("4194304");
  }

  @Test
  void badTimes_refusedByField() {
    assertRefused(TimePoint.newBuilder().setEpochMs(-5), "epoch_ms: ", "negative");
    assertRefused(TimePoint.newBuilder().setEpochMs(T / 1000), "epoch_ms: ", "seconds");
    assertRefused(TimePoint.newBuilder().setRfc3339("2024-03-09T14:00:00"), "rfc3339: ", "offset");
    assertRefused(local("2024-03-31T02:30:00", "Europe/Berlin"), "local_time", "2024-03-31T02:30");
    assertRefused(local("2024-02-30T00:00:00", "Asia/Shanghai"), "local_time", "2024-02-30");
    assertRefused(local("2024-03-09T14:00:00", "Mars/Olympus"), "local_time", "Mars/Olympus");
  }

  private static TimePoint.Builder local(String dateTime, String zone) {
    return TimePoint.newBuilder()
        .setLocalTime(LocalTime.newBuilder().setDateTime(dateTime).setZone(zone));
  }

  private void assertRefused(TimePoint.Builder time, String field, String rule) {
    StatusRuntimeException failure = Client.failure(() -> ask("orders", 0, time.build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription())
        .startsWith("queries[0].position.at_or_after." + field)
        .contains(rule);
  }

  @Test
  void unknownPlaces_failAlone() {
    TimePoint time = TimePoint.newBuilder().setEpochMs(T).build();
    ResolveTimestampResponse partition = ask("orders", 99, time);
    assertThat(partition.getResults(0).getAnswers(0).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_PARTITION);
    assertThat(partition.getResults(0).getAnswers(0).getError().getMessage()).contains("99");
    ResolveTimestampResponse topic = ask("nowhere", 0, time);
    assertThat(topic.getResults(0).getAnswers(0).getError().getMessage()).contains("nowhere");
  }

  @Test
  void otherProtocols_leaveServerAlone() throws IOException {
    for (String greeting :
        new String[] {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u0016\u0003\u0001", "junk"}) {
      try (Socket socket = new Socket("127.0.0.1", server.grpcPort())) {
        OutputStream out = socket.getOutputStream();
        out.write(greeting.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        socket.shutdownOutput();
        socket.setSoTimeout(10_000);
        assertThat(closedByServer(socket)).isTrue();
      }
    }
  }

  private static boolean closedByServer(Socket socket) throws IOException {
    try {
      socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      return true; // Reset.
    }
    return true;
  }

  @Test
  void manyBadRequests_leaveMemoryAndThreadsBounded() throws Exception {
    sendBad(MANY / 10);
    double threads = server.metric("jvm_threads_live_threads");
    double direct = server.metric("jvm_buffer_memory_used_bytes");

    sendBad(MANY);

    assertThat(server.metric("jvm_threads_live_threads")).isLessThanOrEqualTo(threads + 5);
    assertThat(server.metric("jvm_buffer_memory_used_bytes")).isLessThan(direct + (16 << 20));
    // A call counts until its answer is sent.
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> server.metric("whence_calls_in_flight") == 0);
    assertThat(server.log().length()).isLessThan(100_000);
  }

  /** Sends requests that are refused for different reasons, in turn. */
  private void sendBad(int count) throws Exception {
    byte[] truncated = {10, 127, 1};
    try (RawHttp2 connection = new RawHttp2(server.grpcPort())) {
      for (int i = 0; i < count; i++) {
        switch (i % 4) {
          case 0 ->
              assertThat(connection.call(RESOLVE, truncated).status().get(60, TimeUnit.SECONDS))
                  .isEqualTo("3");
          case 1 ->
              assertRefused(TimePoint.newBuilder().setEpochMs(-i - 1), "epoch_ms: ", "negative");
          case 2 ->
              assertRefused(TimePoint.newBuilder().setRfc3339("x".repeat(i)), "rfc3339: ", "x");
          default ->
              assertThat(
                      ask("orders", 99, TimePoint.newBuilder().setEpochMs(T).build())
                          .getResults(0)
                          .getAnswers(0)
                          .hasError())
                  .isTrue();
        }
      }
    }
  }

  private ResolveTimestampResponse ask(String topic, int partition, TimePoint time) {
    return client.resolver.resolveTimestamp(request(topic, partition, time));
  }

  private static ResolveTimestampRequest request(String topic, int partition, TimePoint time) {
    return ResolveTimestampRequest.newBuilder()
        .addQueries(
            TimestampQuery.newBuilder()
                .setTopic(topic)
                .addPartitions(partition)
                .setPosition(Position.newBuilder().setAtOrAfter(time)))
        .build();
  }
}
