package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.whence.v1.Origin;
import io.whence.v1.TimestampQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TimestampCallTest extends TimestampCallFixture {
  @Test
  void allInMemory_answeredAtOnce_alsoWhenWorkersAreFull() {
    loop.workersAreFull = true;

    ask(query("memory", 3, 1, 3));

    assertThat(loop.work).isEmpty();
    assertThat(loop.turns).isEmpty();
    assertThat(partitions()).containsExactly(3, 1, 3);
    assertThat(answers.status()).isEqualTo("OK");
    assertThat(runner.callsInFlight()).isZero();
    assertThat(told).containsExactly("at_or_after found 3");
  }

  @Test
  void oneNeedsAFile_restOnAWorker_nothingTwice() {
    ask(query("mixed"));

    assertThat(loop.work).hasSize(1);
    assertThat(resolver.fromMemory).isEqualTo(7);
    assertThat(resolver.fromFiles).isZero();
    loop.runWork();

    assertThat(partitions()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(response().getResults(0).getAnswers(7).getOrigin())
        .isEqualTo(Origin.ORIGIN_LOG_SCAN);
    assertThat(resolver.fromMemory).isEqualTo(9);
    assertThat(resolver.fromFiles).isEqualTo(1);
  }

  @Test
  void fileNeeded_workersFull_overloaded() {
    loop.workersAreFull = true;

    ask(query("mixed"));

    assertThat(answers.status()).isEqualTo("RESOURCE_EXHAUSTED");
    assertThat(told).containsExactly("overload");
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void longCall_leavesTheLoopToOthersInBetween() {
    resolver.beforeMemory(() -> loop.nanos += 1_000);
    loop.workersAreFull = true;

    ask(query("memory"));

    assertThat(answers.messages).isEmpty();
    int yields = 0;
    while (!loop.turns.isEmpty()) {
      assertThat(loop.turns).hasSize(1);
      loop.turns.remove().run();
      yields++;
    }
    assertThat(yields).isBetween(25, 50);
    assertThat(partitions()).isEqualTo(IntStream.range(0, 10_000).boxed().toList());
  }

  @Test
  void largeCalls_oneAfterTheOther_whileSmallOnesGoOn() {
    resolver.beforeMemory(() -> loop.nanos += 1_000);
    List<KeptAnswers> large = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      KeptAnswers answer = new KeptAnswers();
      large.add(answer);
      many.runInTurns("Test", answer, scope -> call(request(query("memory")), scope));
    }
    assertThat(resolver.fromMemory).isZero();

    for (int turn = 1; large.get(49).messages.isEmpty(); turn++) {
      assertThat(loop.turns).hasSize(1);
      loop.turns.remove().run();
      int done = (int) large.stream().filter(answer -> !answer.messages.isEmpty()).count();
      // Begun and not done is one at the most.
      assertThat(resolver.fromMemory).isBetween(done * 10_000, (done + 1) * 10_000);
      if (turn % 100 == 0) {
        KeptAnswers small = new KeptAnswers();
        many.runInTurns("Test", small, scope -> call(request(query("memory", 1)), scope));
        assertThat(small.status()).isEqualTo("OK");
        resolver.fromMemory--;
      }
    }
    assertThat(loop.turns).isEmpty();
    assertThat(large).extracting(KeptAnswers::status).containsOnly("OK");
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void largeCallsThatNeedFiles_fewAtATimeAtTheWorkers() {
    logs.put("files", 300, partition -> onDisk);
    List<KeptAnswers> large = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      KeptAnswers answer = new KeptAnswers();
      large.add(answer);
      many.runInTurns("Test", answer, scope -> call(request(query("files")), scope));
    }
    loop.runTurns();
    assertThat(loop.work).hasSize(LongWork.MAX_AT_WORKERS);

    loop.runAll();

    assertThat(large).extracting(KeptAnswers::status).containsOnly("OK");
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void largeCallsThatFail_makeRoomForOthers() {
    logs.put("files", 300, partition -> onDisk);
    loop.workersAreFull = true;
    List<KeptAnswers> large = new ArrayList<>();
    for (int i = 0; i < 2 * LongWork.MAX_AT_WORKERS; i++) {
      KeptAnswers answer = new KeptAnswers();
      large.add(answer);
      many.runInTurns("Test", answer, scope -> call(request(query("files")), scope));
    }
    loop.runAll();
    assertThat(large).extracting(KeptAnswers::status).containsOnly("RESOURCE_EXHAUSTED");

    many.runInTurns("Test", answers, scope -> call(request(query("memory")), scope));
    loop.runAll();

    assertThat(answers.status()).isEqualTo("OK");
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void largeCallsOfConnections_takeTurns() {
    Caller first = new Caller(null, new Connection());
    Caller second = new Caller(null, new Connection());
    List<String> ends = new ArrayList<>();
    List<KeptAnswers> all = new ArrayList<>();
    for (Caller caller : List.of(first, first, first, second)) {
      KeptAnswers answer = new KeptAnswers();
      all.add(answer);
      Context.current()
          .withValue(Caller.KEY, caller)
          .run(
              () ->
                  many.runInTurns("Test", answer, scope -> call(request(query("memory")), scope)));
    }
    while (!loop.turns.isEmpty()) {
      loop.turns.remove().run();
      for (int i = 0; i < all.size(); i++) {
        if (all.get(i).completed && !ends.contains("call " + i)) {
          ends.add("call " + i);
        }
      }
    }

    assertThat(ends).containsExactly("call 0", "call 1", "call 3", "call 2");
  }

  @Test
  void manyQueriesOfUnknownTopics_countAsPartitions() {
    TimestampQuery[] queries = new TimestampQuery[LIMIT + 1];
    Arrays.fill(queries, query("gone"));
    ask(queries);

    assertThat(answers.status()).isEqualTo("INVALID_ARGUMENT");
    assertThat(String.valueOf(answers.failure))
        .contains("queries[20000]: 20001 partitions; a call may have 20000");
    assertThat(logs.topicLookups).isZero();
  }
}
