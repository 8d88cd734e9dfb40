package io.whence.commit.kafka;

import static io.whence.commit.kafka.Writes.named;
import static io.whence.commit.kafka.Writes.request;
import static io.whence.commit.kafka.Writes.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AnsweredRequestsTest {
  private static final List<CommitResult> RESULTS =
      List.of(new CommitResult(CommitOutcome.COMMITTED, -1, 5, null));
  private static final CommitRequest REQUEST = named(request("g", write(0, 5)), "r");

  private final ManualClock clock = new ManualClock(1_000);
  private final AnsweredRequests requests =
      new AnsweredRequests(new KafkaGroupOptions.RequestMemory(Duration.ofSeconds(10), 2), clock);
  private final List<CompletableFuture<List<CommitResult>>> work = new ArrayList<>();

  private CommitReply ask(CommitRequest request) {
    return requests.answer(
        request,
        () -> {
          work.add(new CompletableFuture<>());
          return work.get(work.size() - 1);
        });
  }

  @Test
  void requestSentAgain_sharesTheAnswerToTheFirst() {
    CommitReply first = ask(REQUEST);
    CommitReply second = ask(REQUEST);
    assertThat(work).hasSize(1);
    assertThat(first.replayed()).isFalse();
    assertThat(second.replayed()).isTrue();
    assertThat(second.isForeseen()).isFalse();
    assertThatThrownBy(second::results).isInstanceOf(IllegalStateException.class);

    work.get(0).complete(RESULTS);

    assertThat(first.durable().toCompletableFuture()).isCompleted();
    assertThat(second.results()).isEqualTo(RESULTS);
    assertThat(ask(REQUEST).results()).isEqualTo(RESULTS);
    assertThat(work).hasSize(1);
  }

  @Test
  void otherRequestOfTheSameId_isRefused() {
    ask(REQUEST);
    assertReason(() -> ask(named(request("g", write(0, 6)), "r")), ErrorReason.REQUEST_ID_REUSED);
    assertThat(ask(named(request("h", write(0, 6)), "r")).replayed()).isFalse();
  }

  @Test
  void requestThatCameToNothing_isDoneAnew() {
    CommitReply first = ask(REQUEST);
    work.get(0).completeExceptionally(WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "away"));
    assertThat(first.durable().toCompletableFuture()).isCompletedExceptionally();
    assertThat(ask(REQUEST).replayed()).isFalse();
    assertThat(work).hasSize(2);
  }

  @Test
  void workThatIsRefused_isNotRemembered() {
    WhenceException refusal = WhenceException.of(ErrorReason.OVERLOADED, "full");
    assertThatThrownBy(
            () ->
                requests.answer(
                    REQUEST,
                    () -> {
                      throw refusal;
                    }))
        .isSameAs(refusal);
    assertThat(ask(REQUEST).replayed()).isFalse();
  }

  @Test
  void answers_areForgottenAfterTheWindowAndNotBefore() {
    ask(REQUEST);
    work.get(0).complete(RESULTS);
    clock.advance(9_999);
    assertThat(ask(REQUEST).replayed()).isTrue();
    clock.advance(1);
    assertThat(ask(REQUEST).replayed()).isFalse();
  }

  @Test
  void noRoom_refusesNewOnes() {
    ask(REQUEST);
    ask(named(REQUEST, "s"));
    assertReason(() -> ask(named(REQUEST, "t")), ErrorReason.OVERLOADED);
    work.get(0).complete(RESULTS);
    clock.advance(10_000);
    assertThat(ask(named(REQUEST, "t")).replayed()).isFalse();
  }

  private static void assertReason(Runnable work, ErrorReason reason) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
