package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.whence.log.LogSnapshot;
import io.whence.source.SourceCatalog;
import io.whence.v1.ErrorReason;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimestampStreamTest {
  private static final Duration STALL = Duration.ofSeconds(30);
  private static final int WINDOW = 2;

  private final HandLoop loop = new HandLoop();
  private final CountingResolver resolver = new CountingResolver();
  private final SharedLogs logs = new SharedLogs();
  private final KeptAnswers client = new KeptAnswers();
  private final List<String> told = new ArrayList<>();
  private final CallRunner runner =
      new CallRunner(
          loop.threads(),
          () -> Instant.ofEpochMilli(1_700_000_000_000L),
          new CallLimits(20_000, 1, 1, 20, 14, Duration.ofMinutes(1)),
          () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
          new CallListener() {
            @Override
            public void onAbandoned(String rpc) {
              told.add("abandoned");
            }

            @Override
            public void onOverload(String rpc) {
              told.add("overload");
            }
          });
  private final TimestampStreams streams = new TimestampStreams(runner, resolver, STALL);
  @TempDir Path directory;
  private ProbedSource real;

  @BeforeEach
  void open() throws IOException {
    real = new ProbedSource(directory, 0);
    real.createTopic("real", 2);
    LogSnapshot inMemory = real.logs("real").snapshot(0);
    LogSnapshot onDisk = real.logs("real").snapshot(1);
    resolver.putOnDisk(onDisk);
    logs.put("memory", 200, partition -> inMemory);
    logs.put("disk", 1, partition -> onDisk);
  }

  @AfterEach
  void close() throws IOException {
    real.close();
  }

  @Test
  void requests_answeredInOrder_eachReplacedByAnother() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    assertThat(client.requested).isEqualTo(WINDOW);

    stream.onNext(request(7, "memory"));
    stream.onNext(request(0, "disk"));
    stream.onNext(request(-1, "memory"));
    assertThat(tags()).containsExactly(7L);
    loop.runAll();

    assertThat(tags()).containsExactly(7L, 0L, -1L);
    assertThat(client.requested).isEqualTo(WINDOW + 3);
    assertThat(answer(2).getResponse().getResults(0).getAnswersCount()).isEqualTo(200);
    assertThat(runner.callsInFlight()).isZero();
    assertThat(client.status()).isNull();
  }

  @Test
  void badRequest_toldWithItsTag_streamGoesOn() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);

    stream.onNext(StreamResolveTimestampRequest.newBuilder().setTag(1).build());
    stream.onNext(
        StreamResolveTimestampRequest.newBuilder()
            .setTag(2)
            .setRequest(ResolveTimestampRequest.getDefaultInstance())
            .build());
    stream.onNext(request(3, "memory"));
    loop.runAll();

    assertThat(tags()).containsExactly(1L, 2L, 3L);
    assertThat(answer(0).getError().getMetadataMap()).containsEntry("field", "request");
    assertThat(answer(1).getError().getMetadataMap()).containsEntry("field", "queries");
    assertThat(answer(2).hasResponse()).isTrue();
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void fault_toldWithoutDetails_streamGoesOn() {
    logs.put(
        "memory",
        3,
        partition -> {
          throw new StackOverflowError("too deep");
        });
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);

    try {
      stream.onNext(request(1, "memory"));
    } catch (StackOverflowError e) {
      told.add("thrown on");
    }
    stream.onNext(request(2, "disk"));
    loop.runAll();

    assertThat(told).containsExactly("thrown on");
    assertThat(answer(0).getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_INTERNAL);
    assertThat(answer(1).hasResponse()).isTrue();
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void clientThatDoesNotRead_nothingIsBegunOrAskedFor_untilItDoes() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    client.ready = false;

    stream.onNext(request(1, "memory"));
    stream.onNext(request(2, "memory"));
    loop.runAll();
    assertThat(client.messages).isEmpty();
    assertThat(client.requested).isEqualTo(WINDOW);
    client.ready = true;
    client.onReady.run();
    loop.runAll();

    assertThat(tags()).containsExactly(1L, 2L);
    assertThat(loop.timers).isEmpty();
  }

  @Test
  void clientThatDoesNotReadForLong_isCut() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    client.ready = false;
    stream.onNext(request(1, "memory"));
    stream.onNext(request(2, "memory"));
    assertThat(loop.timers).hasSize(1);
    assertThat(loop.timers.get(0).delay()).isEqualTo(STALL);

    loop.timers.get(0).task().run();

    assertThat(client.status()).isEqualTo("RESOURCE_EXHAUSTED");
    assertThat(String.valueOf(client.failure)).contains("not read for 30 s");
    assertThat(streams.openCount()).isZero();
    assertThat(told).containsExactly("abandoned");
  }

  @Test
  void clientThatReadsWithNothingWaiting_isNotCut() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    stream.onNext(request(1, "memory"));
    client.ready = false;
    client.onReady.run();

    assertThat(loop.timers).isEmpty();
    assertThat(client.status()).isNull();
  }

  @Test
  void halfClose_completesWhenAllIsAnswered() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    stream.onNext(request(1, "disk"));
    stream.onNext(request(2, "memory"));

    stream.onCompleted();

    assertThat(client.status()).isNull();
    loop.runAll();
    assertThat(tags()).containsExactly(1L, 2L);
    assertThat(client.status()).isEqualTo("OK");
    assertThat(streams.openCount()).isZero();
  }

  @Test
  void cancel_whileAWorkerIsAtIt_answerIsDropped() {
    try (Context.CancellableContext call = Context.current().withCancellation()) {
      call.run(
          () -> {
            StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
            stream.onNext(request(1, "disk"));
            stream.onNext(request(2, "memory"));
          });
      call.cancel(null);
      client.onCancel.run();
    }
    loop.runAll();

    assertThat(resolver.fromFiles).isZero();
    assertThat(client.messages).isEmpty();
    assertThat(client.status()).isNull();
    assertThat(streams.openCount()).isZero();
    assertThat(runner.callsInFlight()).isZero();
    assertThat(told).contains("abandoned");
  }

  @Test
  void drain_endsIdleStreamAtOnce_busyOneAfterItsAnswer() {
    KeptAnswers idle = new KeptAnswers();
    streams.begin(idle);
    StreamObserver<StreamResolveTimestampRequest> busy = streams.begin(client);
    busy.onNext(request(1, "disk"));
    busy.onNext(request(2, "memory"));

    streams.drain();

    assertThat(idle.status()).isEqualTo("UNAVAILABLE");
    assertThat(client.status()).isNull();
    loop.runAll();
    assertThat(tags()).containsExactly(1L);
    assertThat(client.status()).isEqualTo("UNAVAILABLE");
    KeptAnswers late = new KeptAnswers();
    streams.begin(late);
    assertThat(Status.fromThrowable(late.failure).getDescription()).contains("server stops");
    assertThat(streams.openCount()).isZero();
  }

  @Test
  void manySmallRequests_leaveTheLoopToOthersInBetween() {
    resolver.beforeMemory(() -> loop.nanos += 100_000);
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    client.ready = false;
    for (int tag = 1; tag <= 12; tag++) {
      stream.onNext(request(tag, "memory", 5));
    }
    client.ready = true;

    client.onReady.run();

    assertThat(client.messages).hasSize(3);
    int turns = 1;
    while (!loop.turns.isEmpty()) {
      loop.turns.remove().run();
      turns++;
    }
    assertThat(turns).isEqualTo(4);
    assertThat(client.messages).hasSize(12);
  }

  @Test
  void requestsThatWait_countAsCalls_beyondTheLimitTheyAreRefusedInTheirPlace() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    client.ready = false;
    for (int tag = 1; tag <= 14; tag++) {
      stream.onNext(request(tag, "memory", 5));
    }
    // The stream itself is the 14th call of its connection.
    assertThat(runner.callsInFlight()).isEqualTo(14);
    client.ready = true;
    client.onReady.run();
    loop.runAll();

    assertThat(tags()).hasSize(14).isSorted();
    assertThat(answer(12).hasResponse()).isTrue();
    assertThat(answer(13).getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_OVERLOADED);
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void endedWhileRequestsWait_theseCountNoLonger_norDoLateOnes() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    client.ready = false;
    stream.onNext(request(1, "memory"));
    stream.onNext(request(2, "memory"));
    assertThat(runner.callsInFlight()).isEqualTo(2);

    client.onCancel.run();
    assertThat(runner.callsInFlight()).isZero();
    stream.onNext(request(3, "memory"));

    assertThat(runner.callsInFlight()).isZero();
    assertThat(streams.openCount()).isZero();
  }

  @Test
  void moreStreamsThanAConnectionMayHaveCalls_refused() {
    Caller caller = new Caller(null, new Connection());
    List<KeptAnswers> clients = new ArrayList<>();
    for (int i = 0; i < 15; i++) {
      KeptAnswers each = new KeptAnswers();
      clients.add(each);
      Context.current().withValue(Caller.KEY, caller).run(() -> streams.begin(each));
    }

    assertThat(clients.get(13).status()).isNull();
    assertThat(clients.get(14).status()).isEqualTo("RESOURCE_EXHAUSTED");
    assertThat(String.valueOf(clients.get(14).failure)).contains("has 14 calls in flight");
    assertThat(streams.openCount()).isEqualTo(14);
    clients.forEach(each -> each.onCancel.run());
    assertThat(caller.connection().callsInFlight()).hasValue(0);
  }

  @Test
  void answerNotRead_noOtherRequestIsAskedForUntilItIs() {
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    stream.onNext(request(1, "disk"));
    client.ready = false;
    loop.runAll();
    assertThat(tags()).containsExactly(1L);
    assertThat(client.requested).isEqualTo(WINDOW);

    client.ready = true;
    client.onReady.run();

    assertThat(client.requested).isEqualTo(WINDOW + 1);
  }

  @Test
  void fullServer_requestIsRefused_streamGoesOn() {
    for (int i = 0; i < 15; i++) {
      assertThat(runner.enter("Test", Caller.ofCurrentCall())).isEmpty();
    }
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    stream.onNext(request(1, "memory"));
    for (int i = 0; i < 15; i++) {
      runner.leave(Caller.ofCurrentCall());
    }
    stream.onNext(request(2, "memory"));
    loop.workersAreFull = true;
    stream.onNext(request(3, "disk"));
    loop.runAll();

    assertThat(answer(0).getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_OVERLOADED);
    assertThat(answer(0).getError().getRetriable()).isTrue();
    assertThat(answer(1).hasResponse()).isTrue();
    assertThat(answer(2).getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_OVERLOADED);
    assertThat(told).containsExactly("overload", "overload");
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void waitForAWorkerBeyondTheDeadline_requestIsRefused_streamGoesOn() {
    loop.expectedWaitNanos = Duration.ofMinutes(2).toNanos();
    StreamObserver<StreamResolveTimestampRequest> stream = streams.begin(client);
    stream.onNext(request(1, "disk"));
    stream.onNext(request(2, "memory"));
    loop.runAll();

    assertThat(answer(0).getError().getMessage()).contains("deadline would pass");
    assertThat(answer(1).hasResponse()).isTrue();
    assertThat(told).containsExactly("overload");
  }

  private static StreamResolveTimestampRequest request(long tag, String topic, int... partitions) {
    TimestampQuery.Builder query =
        TimestampQuery.newBuilder()
            .setTopic(topic)
            .setPosition(
                Position.newBuilder()
                    .setAtOrAfter(TimePoint.newBuilder().setEpochMs(1_690_000_000_000L)));
    for (int partition : partitions) {
      query.addPartitions(partition);
    }
    return StreamResolveTimestampRequest.newBuilder()
        .setTag(tag)
        .setRequest(ResolveTimestampRequest.newBuilder().addQueries(query))
        .build();
  }

  private StreamResolveTimestampResponse answer(int index) {
    try {
      return StreamResolveTimestampResponse.parseFrom(client.messages.get(index));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private List<Long> tags() {
    return IntStream.range(0, client.messages.size())
        .mapToObj(index -> answer(index).getTag())
        .toList();
  }
}
