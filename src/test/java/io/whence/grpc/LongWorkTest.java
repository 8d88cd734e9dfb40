package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.whence.v1.ResolveTimestampRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long calls of several connections on one loop: who waits for whom, and who no longer does. */
class LongWorkTest extends TimestampCallFixture {
  private final Connection greedy = new Connection();
  private final Connection modest = new Connection();

  @AfterEach
  void nothingIsHeldAtTheEnd() {
    loop.runAll();
    assertThat(List.of(greedy.held().bytes(), modest.held().bytes())).containsOnly(0L);
    assertThat(many.callsInFlight()).isZero();
    assertThat(loop.timers).isEmpty();
  }

  @BeforeEach
  void putFiles() {
    logs.put("files", 300, partition -> onDisk);
    logs.put("late files", 300, partition -> partition == 299 ? onDisk : inMemory);
  }

  @Test
  void callsThatWaitForDisks_keepNoCallFromMemoryWaiting_ofWhicheverConnection() {
    ask(greedy, "files", 2 * LongWork.MAX_AT_WORKERS);
    loop.runTurns();

    List<KeptAnswers> ofOther = ask(modest, "memory", 2);
    List<KeptAnswers> ofSame = ask(greedy, "memory", 2);
    loop.runTurns();

    assertThat(ofOther).extracting(KeptAnswers::status).containsOnly("OK");
    assertThat(ofSame).extracting(KeptAnswers::status).containsOnly("OK");
    assertThat(loop.work).isNotEmpty();
  }

  @Test
  void oneConnection_hasAFewAtTheWorkers_andLeavesRoomForOthers() {
    List<KeptAnswers> first = ask(greedy, "files", 10);
    loop.runTurns();
    assertThat(loop.work).hasSize(LongWork.MAX_AT_WORKERS_OF_ONE);

    List<KeptAnswers> second = ask(modest, "files", 10);
    ask(new Connection(), "files", 1);
    loop.runTurns();
    assertThat(loop.work).hasSize(LongWork.MAX_AT_WORKERS);

    loop.runAll();
    assertThat(first).extracting(KeptAnswers::status).containsOnly("OK");
    assertThat(second).extracting(KeptAnswers::status).containsOnly("OK");
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void workersThatGetFree_takeThoseThatWait_byConnectionsInTurn() {
    ask(greedy, "files", 10);
    loop.runTurns();
    List<KeptAnswers> second = ask(modest, "files", 1);
    ask(new Connection(), "files", 1);
    List<KeptAnswers> third = ask(new Connection(), "files", 1);
    loop.runTurns();
    assertThat(loop.work).hasSize(LongWork.MAX_AT_WORKERS);

    loop.work.remove().run();
    loop.work.remove().run();
    loop.work.remove().run();
    loop.work.remove().run();
    loop.work.remove().run();
    loop.work.remove().run();

    assertThat(second.get(0).status()).isEqualTo("OK");
    assertThat(third.get(0).status()).isEqualTo("OK");
  }

  @Test
  void callThatFindsNoRoomAtTheWorkers_holdsNoMemoryToAnswerIn_andIsAnsweredFromTheBeginning() {
    ask(greedy, "files", LongWork.MAX_AT_WORKERS_OF_ONE);
    loop.runTurns();

    List<KeptAnswers> late = ask(greedy, "late files", 3);
    loop.runTurns();
    int fromMemory = resolver.fromMemory;
    assertThat(fromMemory).isEqualTo(3 * 299);
    Workspace givenBack = workspaces.take();
    assertThat(givenBack.encoder().capacityBytes())
        .isGreaterThan(299 * 30)
        .isGreaterThan(workspaces.take().encoder().capacityBytes());
    workspaces.give(givenBack);

    loop.runAll();

    assertThat(resolver.fromMemory).isEqualTo(2 * fromMemory);
    assertThat(late).extracting(KeptAnswers::status).containsOnly("OK");
    answers.messages.addAll(late.get(2).messages);
    assertThat(partitions()).hasSize(300).isSorted();
    assertThat(late.get(0).messages.get(0)).isEqualTo(late.get(2).messages.get(0));
  }

  @Test
  void clientThatLeavesWhileItsCallWaitsForAWorker_countsNoLonger() {
    ask(modest, "files", LongWork.MAX_AT_WORKERS_OF_ONE);
    try (Context.CancellableContext gone = Context.current().withCancellation()) {
      List<KeptAnswers> left = new ArrayList<>();
      gone.run(() -> left.addAll(ask(modest, "files", 5)));
      loop.runTurns();
      assertThat(many.callsInFlight()).isEqualTo(7);

      gone.cancel(null);
      loop.runTurns();

      assertThat(many.callsInFlight()).isEqualTo(2);
      assertThat(left).extracting(KeptAnswers::status).containsOnly("DEADLINE_EXCEEDED");
    }
    assertThat(loop.timers).hasSize(2);
    loop.runAll();
    assertThat(many.callsInFlight()).isZero();
    assertThat(loop.timers).isEmpty();
    assertThat(resolver.fromFiles).isEqualTo(2 * 300);
  }

  @Test
  void clientThatLeavesWhileItsCallWaitsForTheLoop_countsNoLonger() {
    resolver.beforeMemory(() -> loop.nanos += 10_000);
    ask(greedy, "memory", 1);
    List<KeptAnswers> left = new ArrayList<>();
    try (Context.CancellableContext gone = Context.current().withCancellation()) {
      gone.run(() -> left.addAll(ask(greedy, "memory", 5)));
      loop.turns.remove().run();
      gone.cancel(null);
      // The long call has one turn in between, and is not done.
      for (int i = 0; i < 6; i++) {
        loop.turns.remove().run();
      }
    }

    assertThat(many.callsInFlight()).isEqualTo(1);
    assertThat(left).extracting(KeptAnswers::status).containsOnly("DEADLINE_EXCEEDED");
    assertThat(resolver.fromMemory).isLessThan(1_000);
  }

  @Test
  void clientThatLeavesWhileItsCallWaitsInTheQueueOfTheWorkers_countsNoLonger() {
    try (Context.CancellableContext gone = Context.current().withCancellation()) {
      gone.run(() -> ask(greedy, "mixed", 1));
      assertThat(loop.work).hasSize(1);
      gone.cancel(null);
      loop.runTurns();
    }

    assertThat(many.callsInFlight()).isZero();
    loop.runAll();
    assertThat(resolver.fromFiles).isZero();
  }

  @Test
  void callWhoseDeadlinePassesWhileItWaits_isTold() {
    ask(greedy, "files", LongWork.MAX_AT_WORKERS_OF_ONE);
    List<KeptAnswers> waits = ask(greedy, "files", 1);
    loop.runTurns();
    assertThat(loop.timers).hasSize(3);

    loop.timers.get(2).task().run();

    assertThat(waits.get(0).status()).isEqualTo("DEADLINE_EXCEEDED");
    assertThat(many.callsInFlight()).isEqualTo(2);
    loop.timers.get(0).task().run();
    assertThat(many.callsInFlight()).isEqualTo(1);
    loop.runAll();
    assertThat(resolver.fromFiles).isEqualTo(300);
    assertThat(many.callsInFlight()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mixed", "files"})
  void waitForAWorkerBeyondTheDeadline_isNotBegun_whetherLongOrShort(String topic) {
    loop.expectedWaitNanos = TimeUnit.SECONDS.toNanos(50);
    List<KeptAnswers> hasTime = ask(modest, topic, 1);
    loop.runTurns();
    assertThat(loop.work).hasSize(1);
    loop.expectedWaitNanos = TimeUnit.SECONDS.toNanos(61);

    List<KeptAnswers> refused = ask(modest, topic, 1);
    loop.runTurns();

    assertThat(loop.work).hasSize(1);
    assertThat(refused.get(0).status()).isEqualTo("RESOURCE_EXHAUSTED");
    assertThat(refused.get(0).failure).hasMessageContaining("deadline would pass");
    loop.runAll();
    assertThat(hasTime.get(0).status()).isEqualTo("OK");
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void longWaitForAWorker_keepsNoCallFromMemory() {
    loop.expectedWaitNanos = TimeUnit.HOURS.toNanos(1);

    List<KeptAnswers> asked = ask(modest, "memory", 1);
    loop.runTurns();

    assertThat(asked.get(0).status()).isEqualTo("OK");
  }

  private List<KeptAnswers> ask(Connection connection, String topic, int count) {
    List<KeptAnswers> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      KeptAnswers answer = new KeptAnswers();
      asked.add(answer);
      ResolveTimestampRequest request = request(query(topic));
      Context.current()
          .withValue(Caller.KEY, new Caller(null, connection))
          .run(() -> many.runInTurns("Test", answer, scope -> call(request, scope)));
    }
    return asked;
  }
}
