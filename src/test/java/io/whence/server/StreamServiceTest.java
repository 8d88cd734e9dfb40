package io.whence.server;

import static io.whence.server.ResolverServiceTest.atOrAfter;
import static io.whence.server.ResolverServiceTest.query;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.grpc.CallRunner;
import io.whence.grpc.TimestampStreams;
import io.whence.v1.ErrorReason;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.StreamResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampResponse;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(ServerTestProfile.class)
class StreamServiceTest {
  private static final long T = ServerTestProfile.NOW_MS - 10_000;
  private static final String TOPIC = "streamed";

  @Inject GrpcServerHandle server;
  @Inject FakeResolver resolver;
  @Inject CallRunner runner;
  @Inject TimestampStreams streams;

  private Client client;

  @BeforeEach
  void makeTopics() {
    client = new Client(server.port());
    createOnce(TOPIC, T, T + 10);
    createOnce(FakeResolver.GATE);
    resolver.gate.open();
  }

  @AfterEach
  void close() throws InterruptedException {
    resolver.gate.open();
    client.close();
    await(() -> runner.callsInFlight() == 0 && streams.openCount() == 0);
  }

  @Test
  void deadline_isToldByTheServer() throws Exception {
    Stream stream = new Stream("2S");
    stream.call.request(2);
    stream.send(message(1, request(TOPIC)));
    assertThat(stream.next().getTag()).isEqualTo(1);

    assertThat(stream.status.get(20, TimeUnit.SECONDS).getCode())
        .isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    await(() -> streams.openCount() == 0);
  }

  @Test
  void manyRequests_answeredInOrder_likeSingleCalls() throws Exception {
    ResolveTimestampRequest request = request(TOPIC);
    ResolveTimestampResponse single = client.resolver.resolveTimestamp(request);
    Stream stream = new Stream();
    stream.call.request(1_000);
    for (int tag = 0; tag < 500; tag++) {
      stream.send(message(tag, tag % 7 == 3 ? request("nowhere") : request));
    }
    stream.call.halfClose();

    for (int tag = 0; tag < 500; tag++) {
      StreamResolveTimestampResponse answer = stream.next();
      assertThat(answer.getTag()).isEqualTo(tag);
      if (tag % 7 == 3) {
        assertThat(answer.getResponse().getResults(0).getAnswers(0).getError().getReason())
            .isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
      } else {
        assertThat(answer.getResponse()).isEqualTo(single);
      }
    }
    assertThat(stream.status.get(10, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.OK);
  }

  @Test
  void badRequest_isToldAndTheNextIsAnswered() throws Exception {
    Stream stream = new Stream();
    stream.call.request(2);
    stream.send(message(1, ResolveTimestampRequest.getDefaultInstance()));
    stream.send(message(2, request(TOPIC)));

    assertThat(stream.next().getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_INVALID_ARGUMENT);
    assertThat(stream.next().hasResponse()).isTrue();
    stream.call.cancel("done", null);
  }

  @Test
  void bytesThatAreNoMessage_endTheStream_whileAnotherRequestIsInWork() throws Exception {
    resolver.gate.close();
    Stream stream = new Stream();
    stream.call.request(2);
    stream.send(message(1, request(FakeResolver.GATE)).toByteArray());
    await(() -> resolver.waiting.get() == 1);

    stream.send(new byte[] {(byte) 0xff, 1, 2});

    assertThat(stream.status.get(10, TimeUnit.SECONDS).getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    resolver.gate.open();
    await(() -> runner.callsInFlight() == 0 && streams.openCount() == 0);
  }

  @Test
  void clientThatReadsNothing_fillsNoMemory_andGetsEverythingLater() throws Exception {
    Stream stream = new Stream();
    ResolveTimestampRequest.Builder large = ResolveTimestampRequest.newBuilder();
    for (int i = 0; i < 2_000; i++) {
      large.addQueries(query(TOPIC, atOrAfter(T), 0));
    }
    for (int tag = 0; tag < 200; tag++) {
      stream.send(message(tag, large.build()));
    }
    // What the connection takes is answered; then a request or two wait, and nothing piles up.
    await(() -> runner.callsInFlight() > 0 && runner.callsInFlight() <= 2);
    assertThat(client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsCount())
        .isPositive();
    assertThat(stream.messages).isEmpty();

    stream.call.request(200);
    for (int tag = 0; tag < 200; tag++) {
      assertThat(stream.next().getTag()).isEqualTo(tag);
    }
    stream.call.halfClose();
    assertThat(stream.status.get(10, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.OK);
  }

  @Test
  void clientThatLeaves_stopsTheWork() {
    resolver.gate.close();
    int before = resolver.stopped.get();
    Stream stream = new Stream();
    stream.send(message(1, request(FakeResolver.GATE)));
    stream.send(message(2, request(TOPIC)));
    await(() -> resolver.waiting.get() == 1);

    stream.call.cancel("gone", null);

    await(() -> resolver.stopped.get() == before + 1 && streams.openCount() == 0);
  }

  private void createOnce(String name, long... timestampsMs) {
    if (client.log.listTopics(ListTopicsRequest.getDefaultInstance()).getTopicsList().stream()
        .noneMatch(topic -> topic.getTopic().equals(name))) {
      client.topic(name, 1, timestampsMs);
    }
  }

  private static ResolveTimestampRequest request(String topic) {
    return ResolveTimestampRequest.newBuilder()
        .addQueries(query(topic, atOrAfter(T + 1), 0))
        .build();
  }

  private static StreamResolveTimestampRequest message(long tag, ResolveTimestampRequest request) {
    return StreamResolveTimestampRequest.newBuilder().setTag(tag).setRequest(request).build();
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(10))
        .until(condition);
  }

  /** A stream whose client decides on every message. */
  private final class Stream extends ClientCall.Listener<StreamResolveTimestampResponse> {
    private final BlockingQueue<StreamResolveTimestampResponse> messages =
        new LinkedBlockingQueue<>();
    private final CompletableFuture<Status> status = new CompletableFuture<>();
    private final ClientCall<byte[], StreamResolveTimestampResponse> call;

    Stream() {
      this(client.channel);
    }

    /** One with a deadline that the server keeps, and the client doesn't. */
    Stream(String timeout) {
      this(ClientInterceptors.intercept(client.channel, Client.deadlineOfServer(timeout)));
    }

    private Stream(Channel channel) {
      MethodDescriptor<StreamResolveTimestampRequest, StreamResolveTimestampResponse> method =
          ResolverServiceGrpc.getStreamResolveTimestampMethod();
      call =
          channel.newCall(
              method.toBuilder(new Sent(), method.getResponseMarshaller()).build(),
              CallOptions.DEFAULT);
      call.start(this, new Metadata());
    }

    void send(StreamResolveTimestampRequest message) {
      send(message.toByteArray());
    }

    void send(byte[] message) {
      call.sendMessage(message);
    }

    StreamResolveTimestampResponse next() throws InterruptedException {
      StreamResolveTimestampResponse message = messages.poll(20, TimeUnit.SECONDS);
      if (message == null) {
        throw new AssertionError("no answer; status " + status.getNow(Status.UNKNOWN));
      }
      return message;
    }

    @Override
    public void onMessage(StreamResolveTimestampResponse message) {
      messages.add(message);
    }

    @Override
    public void onClose(Status closed, Metadata trailers) {
      status.complete(closed);
    }
  }

  private static final class Sent implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      throw new IllegalStateException("a client receives no requests");
    }
  }
}
