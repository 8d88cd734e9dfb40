package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.grpc.Watches;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.DeleteTopicRequest;
import io.whence.v1.ErrorReason;
import io.whence.v1.Outcome;
import io.whence.v1.RecordData;
import io.whence.v1.ResolverServiceGrpc;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchQuery;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(ServerTestProfile.class)
class WatchServiceTest {
  private static final long T = ServerTestProfile.NOW_MS;
  private static int topics;

  @Inject GrpcServerHandle server;
  @Inject Watches watches;

  private Client client;
  private String topic;

  @BeforeEach
  void makeTopic() {
    client = new Client(server.port());
    topic = "watched-" + topics++;
    client.topic(topic, 3, T - 1, T + 5);
  }

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    client.close();
    awaitNoWatch();
  }

  @Test
  void watch_tellsWhatIsReachedThenWhatGetsReachedThenDone() {
    Iterator<WatchTimestampResponse> events =
        client.resolver.withDeadlineAfter(30, TimeUnit.SECONDS).watchTimestamp(request(T));

    assertThat(events.next().getStarted().getPartitionCount()).isEqualTo(3);
    TimestampAnswer first = events.next().getPartition().getAnswer();
    assertThat(first.getOffset()).isEqualTo(1);
    assertThat(first.getFutureTimestamp()).isTrue();
    append(2, T + 7);
    assertThat(events.next().getPartition().getAnswer().getDistanceMs()).isEqualTo(7);
    append(1, T - 7, T + 60, T);
    assertThat(events.next().getPartition().getAnswer().getOffset()).isEqualTo(1);
    assertThat(events.next().getDone().getReachedCount()).isEqualTo(3);
    assertThat(events.hasNext()).isFalse();
  }

  @Test
  void topicDeletedMeanwhile_failsItsPartitions() {
    Iterator<WatchTimestampResponse> events =
        client.resolver.withDeadlineAfter(30, TimeUnit.SECONDS).watchTimestamp(request(T + 60));
    events.next();

    client.log.deleteTopic(DeleteTopicRequest.newBuilder().setTopic(topic).build());

    for (int i = 0; i < 3; i++) {
      TimestampAnswer answer = events.next().getPartition().getAnswer();
      assertThat(answer.getOutcome()).isEqualTo(Outcome.OUTCOME_FAILED);
      assertThat(answer.getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_UNKNOWN_TOPIC);
    }
    assertThat(events.next().getDone().getFailedCount()).isEqualTo(3);
  }

  @Test
  void progress_isToldMeanwhile() {
    Iterator<WatchTimestampResponse> events =
        client
            .resolver
            .withDeadlineAfter(30, TimeUnit.SECONDS)
            .watchTimestamp(
                request(T).toBuilder()
                    .setProgressInterval(Duration.newBuilder().setSeconds(1))
                    .build());
    events.next();
    events.next();

    assertThat(events.next().getProgress().getWaitingCount()).isEqualTo(2);
  }

  @Test
  void deadline_endsTheWatch() {
    Iterator<WatchTimestampResponse> events =
        client.resolver.withDeadlineAfter(300, TimeUnit.MILLISECONDS).watchTimestamp(request(T));

    StatusRuntimeException failure =
        Client.failure(() -> events.forEachRemaining(event -> assertThat(event).isNotNull()));

    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    awaitNoWatch();
  }

  @Test
  void deadline_isToldByTheServer() {
    Iterator<WatchTimestampResponse> events =
        client.resolver.withInterceptors(Client.deadlineOfServer("2S")).watchTimestamp(request(T));

    StatusRuntimeException failure =
        Client.failure(() -> events.forEachRemaining(event -> assertThat(event).isNotNull()));

    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(Client.reason(failure)).isEqualTo("DEADLINE_EXCEEDED");
    awaitNoWatch();
  }

  @Test
  void manyClientsLeave_nothingIsLeft() {
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      readers.add(watch(request(T + 60), Integer.MAX_VALUE));
    }
    Awaitility.await().until(() -> watches.partitionCount() == 150);

    readers.forEach(reader -> reader.requests.cancel("gone", null));

    awaitNoWatch();
  }

  @Test
  void connectionBreaks_nothingIsLeft() throws Exception {
    Client other = new Client(server.port());
    Reader reader = new Reader(1);
    ResolverServiceGrpc.newStub(other.channel).watchTimestamp(request(T + 60), reader);
    Awaitility.await().until(() -> watches.watchCount() == 1);

    other.close();

    awaitNoWatch();
  }

  @Test
  void slowReaderOfTenThousandPartitions_getsEachOnce() throws Exception {
    String wide = topic + "-wide";
    client.topic(wide, 100);
    WatchTimestampRequest.Builder request = WatchTimestampRequest.newBuilder();
    for (int i = 0; i < 100; i++) {
      request.addQueries(
          WatchQuery.newBuilder().setTopic(wide).setTime(TimePoint.newBuilder().setEpochMs(T + i)));
    }
    Reader reader = watch(request.build(), 1);
    Awaitility.await().until(() -> watches.partitionCount() == 10_000);
    AppendRequest.Builder append = AppendRequest.newBuilder();
    for (int i = 0; i < 100; i++) {
      append.addEntries(entry(wide, i, T + 1_000));
    }
    client.log.append(append.build());
    // Others are served meanwhile.
    Iterator<WatchTimestampResponse> neighbour =
        client.resolver.withDeadlineAfter(10, TimeUnit.SECONDS).watchTimestamp(request(T - 1));
    assertThat(neighbour.next().hasStarted()).isTrue();
    assertThat(neighbour.next().getPartition().getAnswer().getOffset()).isZero();

    reader.requests.request(20_000);

    assertThat(reader.ended.get(30, TimeUnit.SECONDS).isOk()).isTrue();
    assertThat(reader.events).hasSize(10_002);
    assertThat(reader.events.subList(1, 10_001))
        .extracting(
            event ->
                event.getPartition().getQueryIndex() * 100
                    + event.getPartition().getAnswer().getPartition())
        .doesNotHaveDuplicates();
    assertThat(reader.events.get(10_001).getDone().getReachedCount()).isEqualTo(10_000);
  }

  @Test
  void fault_isInternalWithoutDetailsAndAtOnce() {
    WatchTimestampRequest exploding =
        WatchTimestampRequest.newBuilder()
            .addQueries(
                WatchQuery.newBuilder()
                    .setTopic(FakeSource.EXPLODING)
                    .setTime(TimePoint.newBuilder().setEpochMs(T)))
            .build();

    StatusRuntimeException failure =
        Client.failure(
            () ->
                client
                    .resolver
                    .withDeadlineAfter(10, TimeUnit.SECONDS)
                    .watchTimestamp(exploding)
                    .forEachRemaining(event -> assertThat(event).isNull()));

    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(failure.getStatus().getDescription()).doesNotContain("secret", "IllegalState");
  }

  @Test
  void halfOpenCall_isNoWatch() {
    ClientCall<WatchTimestampRequest, WatchTimestampResponse> call =
        client.channel.newCall(ResolverServiceGrpc.getWatchTimestampMethod(), CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    call.cancel("gone", null);

    assertThat(watches.watchCount()).isZero();
  }

  private Reader watch(WatchTimestampRequest request, int events) {
    Reader reader = new Reader(events);
    ResolverServiceGrpc.newStub(client.channel).watchTimestamp(request, reader);
    return reader;
  }

  private WatchTimestampRequest request(long timeMs) {
    return WatchTimestampRequest.newBuilder()
        .addQueries(
            WatchQuery.newBuilder()
                .setTopic(topic)
                .setTime(TimePoint.newBuilder().setEpochMs(timeMs)))
        .build();
  }

  private void append(int partition, long... timestampsMs) {
    client.log.append(
        AppendRequest.newBuilder().addEntries(entry(topic, partition, timestampsMs)).build());
  }

  private static AppendEntry entry(String topic, int partition, long... timestampsMs) {
    AppendEntry.Builder entry = AppendEntry.newBuilder().setTopic(topic).setPartition(partition);
    for (long timestampMs : timestampsMs) {
      entry.addRecords(RecordData.newBuilder().setTimestampMs(timestampMs));
    }
    return entry.build();
  }

  private void awaitNoWatch() {
    Awaitility.await()
        .atMost(java.time.Duration.ofSeconds(10))
        .until(() -> watches.watchCount() == 0 && watches.partitionCount() == 0);
  }

  /** Reads as many events as it is told to. Thread safety: a thread reads what has ended. */
  private static final class Reader
      implements ClientResponseObserver<WatchTimestampRequest, WatchTimestampResponse> {
    private final int first;
    private final List<WatchTimestampResponse> events = new ArrayList<>();
    private final CompletableFuture<Status> ended = new CompletableFuture<>();
    private ClientCallStreamObserver<WatchTimestampRequest> requests;

    Reader(int first) {
      this.first = first;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchTimestampRequest> stream) {
      requests = stream;
      stream.disableAutoRequestWithInitial(first);
    }

    @Override
    public void onNext(WatchTimestampResponse event) {
      events.add(event);
    }

    @Override
    public void onError(Throwable failure) {
      ended.complete(Status.fromThrowable(failure));
    }

    @Override
    public void onCompleted() {
      ended.complete(Status.OK);
    }
  }
}
