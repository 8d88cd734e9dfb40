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
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AnsweredRequestsTest {
  private static final List<CommitResult> RESULTS =
      List.of(new CommitResult(CommitOutcome.COMMITTED, -1, 5, null));
  private static final CommitRequest REQUEST = named(request("g", write(0, 5)), "r");

  private final ManualClock clock = new ManualClock(1_000);
  private final AnsweredRequests requests =
      new AnsweredRequests(new KafkaGroupOptions.RequestMemory(Duration.ofSeconds(10), 2), clock);
  private final List<CompletableFuture<List<CommitResult>>> work = new ArrayList<>();
  private final List<CommitRequest> asked = new ArrayList<>();
  private final List<Cancellation> waits = new ArrayList<>();

  private CommitReply ask(CommitRequest request) {
    return ask(request, Cancellation.NONE);
  }

  private CommitReply ask(CommitRequest request, Cancellation cancellation) {
    return requests.answer(
        request,
        cancellation,
        (rest, waiting) -> {
          asked.add(rest);
          waits.add(waiting);
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

  private static CommitResult failed(ErrorReason reason) {
    return new CommitResult(CommitOutcome.FAILED, 3, 3, WhenceException.of(reason, "why"));
  }

  @Test
  void nothingCommitted_andSomeFailedForTheMoment_isDoneAnew() {
    CommitRequest two = named(request("g", write(0, 5), write(1, 6)), "r");
    CommitReply first = ask(two);
    work.get(0)
        .complete(List.of(failed(ErrorReason.LEADER_UNAVAILABLE), failed(ErrorReason.CONFLICT)));
    assertThat(first.results()).hasSize(2);

    assertThat(ask(two).replayed()).isFalse();
    assertThat(asked).containsExactly(two, two);
  }

  @Test
  void refusedForGood_isRemembered() {
    ask(REQUEST);
    work.get(0).complete(List.of(failed(ErrorReason.CONFLICT)));
    assertThat(ask(REQUEST).replayed()).isTrue();
    assertThat(work).hasSize(1);
  }

  @Test
  void whatFailedForTheMoment_isTriedAgain_andOnlyThat() {
    CommitRequest three = named(request("g", write(0, 5), write(1, 6), write(2, 7)), "r");
    CommitResult made = RESULTS.get(0);
    CommitResult refused = failed(ErrorReason.CONFLICT);
    CommitResult away = failed(ErrorReason.LEADER_UNAVAILABLE);
    CommitResult madeLater = new CommitResult(CommitOutcome.COMMITTED, 3, 7, null);
    ask(three);
    work.get(0).complete(List.of(made, refused, away));

    CommitReply second = ask(three);
    CommitReply meanwhile = ask(three);
    assertThat(asked.get(1)).isEqualTo(named(request("g", write(2, 7)), "r"));
    WhenceException all = WhenceException.of(ErrorReason.GROUP_ACTIVE, "members");
    work.get(1).completeExceptionally(all);
    assertThat(second.replayed()).isTrue();
    assertThat(second.results().subList(0, 2)).containsExactly(made, refused);
    assertThat(second.results().get(2).error()).isSameAs(all);
    assertThat(meanwhile.results()).isEqualTo(second.results());

    CommitReply third = ask(three);
    assertThat(asked.get(2)).isEqualTo(asked.get(1));
    work.get(2).complete(List.of(madeLater));
    assertThat(third.results()).containsExactly(made, refused, madeLater);
    assertThat(ask(three).results()).containsExactly(made, refused, madeLater);
    assertThat(work).hasSize(3);
  }

  @Test
  void requestSentAgain_keepsTheWorkWaitedFor() {
    boolean[] over = new boolean[2];
    ask(REQUEST, () -> stopIf(over[0]));
    ask(REQUEST, () -> stopIf(over[1]));
    over[0] = true;
    waits.get(0).check();
    over[1] = true;

    assertReason(() -> waits.get(0).check(), ErrorReason.DEADLINE_EXCEEDED);
  }

  @Test
  void answeredRequestSentAgain_leavesNobodyWaiting() {
    AtomicInteger askedCalls = new AtomicInteger();
    Cancellation call =
        () -> {
          askedCalls.incrementAndGet();
          stopIf(true);
        };
    ask(REQUEST, call);
    ask(REQUEST, call);
    assertReason(() -> waits.get(0).check(), ErrorReason.DEADLINE_EXCEEDED);
    assertThat(askedCalls.getAndSet(0)).isEqualTo(2);
    work.get(0).complete(RESULTS);

    for (int i = 0; i < 1_000; i++) {
      assertThat(ask(REQUEST, call).results()).isEqualTo(RESULTS);
    }

    waits.get(0).check();
    assertThat(askedCalls).hasValue(0);
    assertThat(work).hasSize(1);
  }

  private static void stopIf(boolean over) {
    if (over) {
      throw WhenceException.of(ErrorReason.DEADLINE_EXCEEDED, "over");
    }
  }

  @Test
  void workThatIsRefused_isNotRemembered() {
    WhenceException refusal = WhenceException.of(ErrorReason.OVERLOADED, "full");
    assertThatThrownBy(
            () ->
                requests.answer(
                    REQUEST,
                    Cancellation.NONE,
                    (rest, waiting) -> {
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
