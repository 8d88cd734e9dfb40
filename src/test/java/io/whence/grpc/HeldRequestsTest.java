package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import io.grpc.Context;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.whence.v1.ErrorReason;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampResponse;
import io.whence.v1.TimestampQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much memory requests may take that wait. */
class HeldRequestsTest extends TimestampCallFixture {
  private static final ResolveTimestampRequest MANY_QUERIES =
      request(Collections.nCopies(300, query("memory", 1)).toArray(new TimestampQuery[0]));

  private final AtomicLong unreadOfAll = new AtomicLong();
  private final AtomicLong heldByAll = new AtomicLong();
  private final Connection greedy = new Connection(unreadOfAll, heldByAll);
  private final Connection modest = new Connection(unreadOfAll, heldByAll);

  @AfterEach
  void nothingIsHeldAtTheEnd() {
    loop.runAll();
    assertThat(heldByAll).hasValue(0);
    assertThat(greedy.held().bytes()).isZero();
    assertThat(modest.held().bytes()).isZero();
  }

  @Test
  void callThatWaits_countsUntilItsEnd() {
    ask(greedy, MANY_QUERIES);
    KeptAnswers onDisk = ask(greedy, request(query("mixed")));

    assertThat(greedy.held().bytes())
        .isEqualTo(RequestBytes.of(MANY_QUERIES) + RequestBytes.of(request(query("mixed"))));
    loop.runTurns();
    assertThat(greedy.held().bytes()).isEqualTo(RequestBytes.of(request(query("mixed"))));
    loop.runWork();
    assertThat(greedy.held().bytes()).isZero();
    assertThat(onDisk.status()).isEqualTo("OK");
  }

  @Test
  void connectionWhoseRequestsTakeMuch_mayNotLetMoreWait_othersAndShortCallsGoOn() {
    long most = HeldRequests.maxBytes();
    assertThat(greedy.held().enter(most)).isEmpty();

    KeptAnswers refused = ask(greedy, MANY_QUERIES);
    KeptAnswers fromMemory = ask(greedy, request(query("memory", 1, 2)));
    KeptAnswers ofOther = ask(modest, MANY_QUERIES);
    loop.runTurns();

    assertOverloaded(refused, "requests of this connection take " + most + " bytes");
    assertThat(fromMemory.status()).isEqualTo("OK");
    assertThat(ofOther.status()).isEqualTo("OK");
    greedy.held().leave(most);
    KeptAnswers again = ask(greedy, MANY_QUERIES);
    loop.runTurns();
    assertThat(again.status()).isEqualTo("OK");
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void requestsOfAllThatTakeMuch_keepMoreFromWaiting() {
    long most = HeldRequests.maxBytesOfAll();
    assertThat(new Connection(unreadOfAll, heldByAll).held().enter(most)).isEmpty();

    KeptAnswers refused = ask(modest, MANY_QUERIES);

    assertOverloaded(refused, "requests that wait take " + most + " bytes");
    heldByAll.addAndGet(-most);
  }

  @Test
  void largestRequest_isLetInWhereThereIsNoOther() {
    long tooMuch = 2 * HeldRequests.maxBytesOfAll();

    assertThat(greedy.held().enter(tooMuch)).isEmpty();
    assertThat(modest.held().enter(1)).isPresent();
    assertThat(modest.held().bytes()).isZero();

    greedy.held().leave(tooMuch);
    assertThat(modest.held().enter(1)).isEmpty();
    modest.held().leave(1);
  }

  @Test
  void manyQueries_areNotCheckedBeforeTheirTurn() {
    KeptAnswers bad =
        ask(
            greedy,
            request(
                Collections.nCopies(300, TimestampQuery.getDefaultInstance())
                    .toArray(new TimestampQuery[0])));
    assertThat(bad.status()).isNull();

    loop.runTurns();

    assertThat(bad.status()).isEqualTo("INVALID_ARGUMENT");
  }

  @Test
  void requestsThatWaitInAStream_count_andBeyondTheRoomAreRefusedInTheirPlace()
      throws InvalidProtocolBufferException {
    long most = HeldRequests.maxBytes();
    StreamObserver<StreamResolveTimestampRequest> stream = begin();
    answers.ready = false;
    stream.onNext(streamed(1));
    assertThat(greedy.held().bytes()).isEqualTo(RequestBytes.of(MANY_QUERIES));
    greedy.held().enter(most - greedy.held().bytes());

    stream.onNext(streamed(2));
    assertThat(greedy.held().bytes()).isEqualTo(most);
    greedy.held().leave(most - RequestBytes.of(MANY_QUERIES));
    answers.ready = true;
    answers.onReady.run();
    loop.runAll();

    assertThat(answer(0).getTag()).isEqualTo(1);
    assertThat(answer(0).getResponse().getResultsCount()).isEqualTo(300);
    assertThat(answer(1).getTag()).isEqualTo(2);
    assertThat(answer(1).getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_OVERLOADED);
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void streamThatIsGivenUp_holdsNothing_alsoWhileAWorkerIsAtIt() {
    StreamObserver<StreamResolveTimestampRequest> stream = begin();
    stream.onNext(streamed(1).toBuilder().setRequest(request(query("mixed"))).build());
    stream.onNext(streamed(2));
    assertThat(greedy.held().bytes())
        .isEqualTo(RequestBytes.of(request(query("mixed"))) + RequestBytes.of(MANY_QUERIES));

    answers.onCancel.run();

    assertThat(greedy.held().bytes()).isEqualTo(RequestBytes.of(request(query("mixed"))));
    assertThat(many.callsInFlight()).isEqualTo(1);
  }

  @Test
  void size_ofManyQueries_isThatOfTheirObjects_ofManyPartitions_thatOfTheirNumbers() {
    ResolveTimestampRequest listed = request(query("memory", IntStream.range(0, 20_000).toArray()));

    // Measured: 12 to 20 bytes for each of queries, and a hundred thousand for these partitions.
    assertThat(RequestBytes.of(MANY_QUERIES))
        .isBetween(12L * MANY_QUERIES.getSerializedSize(), 20L * MANY_QUERIES.getSerializedSize());
    assertThat(RequestBytes.of(listed)).isBetween(105_000L, 170_000L);
  }

  private static void assertOverloaded(KeptAnswers call, String message) {
    assertThat(call.status()).isEqualTo("RESOURCE_EXHAUSTED");
    assertThat(call.failure).hasMessageContaining(message);
    assertThat(StatusProto.fromThrowable(call.failure).getDetailsList())
        .anyMatch(detail -> detail.is(RetryInfo.class));
  }

  private KeptAnswers ask(Connection connection, ResolveTimestampRequest request) {
    KeptAnswers answer = new KeptAnswers();
    Context.current()
        .withValue(Caller.KEY, new Caller(null, connection))
        .run(() -> many.runInTurns("Test", answer, scope -> call(request, scope)));
    return answer;
  }

  private StreamObserver<StreamResolveTimestampRequest> begin() {
    TimestampStreams streams = new TimestampStreams(many, resolver, Duration.ofSeconds(30));
    List<StreamObserver<StreamResolveTimestampRequest>> begun = new ArrayList<>();
    Context.current()
        .withValue(Caller.KEY, new Caller(null, greedy))
        .run(() -> begun.add(streams.begin(answers)));
    return begun.get(0);
  }

  private static StreamResolveTimestampRequest streamed(long tag) {
    return StreamResolveTimestampRequest.newBuilder().setTag(tag).setRequest(MANY_QUERIES).build();
  }

  private StreamResolveTimestampResponse answer(int index) throws InvalidProtocolBufferException {
    return StreamResolveTimestampResponse.parseFrom(answers.messages.get(index));
  }
}
