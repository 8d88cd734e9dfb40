package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import io.whence.source.SourceCatalog;
import io.whence.v1.ErrorReason;
import io.whence.v1.StreamResolveTimestampRequest;
import io.whence.v1.StreamResolveTimestampResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What answers of streams count for as long as nobody reads them. */
class UnreadStreamsTest extends TimestampCallFixture {
  private static final Duration STALL = Duration.ofSeconds(30);

  private final Connection connection = new Connection();
  private final CallRunner roomy =
      new CallRunner(
          loop.threads(),
          () -> Instant.EPOCH,
          new CallLimits(LIMIT, 1, 1, 500, 500, Duration.ofMinutes(1)),
          () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
          CallListener.NOOP);
  private final TimestampStreams streams = new TimestampStreams(roomy, resolver, STALL);

  @Test
  void answerNotRead_countsAndTimeRuns_untilItIsRead() {
    ask(begin(answers));
    answers.ready = false;

    loop.runAll();

    assertThat(connection.unread().bytes())
        .isEqualTo(answers.messages.get(0).length)
        .isGreaterThan(100_000);
    assertThat(loop.timers).extracting(HandLoop.Timer::delay).containsExactly(STALL);
    answers.ready = true;
    answers.onReady.run();
    assertThat(connection.unread().bytes()).isZero();
    assertThat(loop.timers).isEmpty();
    assertThat(answers.status()).isNull();
  }

  @Test
  void answerNotReadForLong_withNothingElseWaiting_streamIsCut() {
    ask(begin(answers));
    answers.ready = false;
    loop.runAll();

    loop.timers.get(0).task().run();

    assertThat(answers.status()).isEqualTo("RESOURCE_EXHAUSTED");
    assertThat(streams.openCount()).isZero();
    // gRPC still has the answer.
    assertThat(connection.unread().bytes()).isEqualTo(answers.messages.get(0).length);
    answers.onClose.run();
    assertThat(connection.unread().bytes()).isZero();
  }

  @Test
  void cancel_givesBackWhatWasNotRead() {
    ask(begin(answers));
    answers.ready = false;
    loop.runAll();
    assertThat(connection.unread().bytes()).isPositive();

    answers.onCancel.run();

    assertThat(connection.unread().bytes()).isZero();
    assertThat(loop.timers).isEmpty();
    assertThat(streams.openCount()).isZero();
  }

  @Test
  void streamThatEndsWithItsAnswer_countsUntilTheClientHasAll() {
    StreamObserver<StreamResolveTimestampRequest> stream = begin(answers);
    ask(stream);
    stream.onCompleted();
    answers.ready = false;

    loop.runAll();

    assertThat(answers.status()).isEqualTo("OK");
    assertThat(connection.unread().bytes()).isEqualTo(answers.messages.get(0).length);
    answers.onClose.run();
    assertThat(connection.unread().bytes()).isZero();
    assertThat(loop.timers).isEmpty();
  }

  @Test
  void answerThatIsReadAtOnce_neverCounts() {
    ask(begin(answers));

    loop.runAll();

    assertThat(answers.messages).hasSize(1);
    assertThat(connection.unread().bytes()).isZero();
    assertThat(loop.timers).isEmpty();
  }

  @Test
  void manyStreamsThatNobodyReads_leaveNoMoreThanThereMayBe()
      throws InvalidProtocolBufferException {
    List<KeptAnswers> clients = new ArrayList<>();
    for (int i = 0; i < 99; i++) {
      KeptAnswers client = new KeptAnswers();
      clients.add(client);
      ask(begin(client));
      client.ready = false;
    }

    loop.runAll();

    long size = clients.get(0).messages.get(0).length;
    assertThat(99 * size).isGreaterThan(UnreadAnswers.MAX_BYTES + 2 * size);
    assertThat(connection.unread().bytes())
        .isBetween(UnreadAnswers.MAX_BYTES, UnreadAnswers.MAX_BYTES + 2 * size);
    StreamResolveTimestampResponse last =
        StreamResolveTimestampResponse.parseFrom(clients.get(98).messages.get(0));
    assertThat(last.getError().getReason()).isEqualTo(ErrorReason.ERROR_REASON_OVERLOADED);
  }

  private StreamObserver<StreamResolveTimestampRequest> begin(KeptAnswers client) {
    List<StreamObserver<StreamResolveTimestampRequest>> begun = new ArrayList<>();
    Context.current()
        .withValue(Caller.KEY, new Caller(null, connection))
        .run(() -> begun.add(streams.begin(client)));
    return begun.get(0);
  }

  private static void ask(StreamObserver<StreamResolveTimestampRequest> stream) {
    stream.onNext(
        StreamResolveTimestampRequest.newBuilder().setRequest(request(query("memory"))).build());
  }
}
