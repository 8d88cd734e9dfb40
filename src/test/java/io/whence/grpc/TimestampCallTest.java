package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Context;
import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.SourceCatalog;
import io.whence.v1.LatestPosition;
import io.whence.v1.Origin;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TimestampCallTest {
  private static final int LIMIT = 20_000;

  private final HandLoop loop = new HandLoop();
  private final CountingResolver resolver = new CountingResolver();
  private final SharedLogs logs = new SharedLogs();
  private final KeptAnswers answers = new KeptAnswers();
  private final Workspaces workspaces = new Workspaces();
  private final List<String> told = new ArrayList<>();
  private final CallRunner runner =
      new CallRunner(
          loop.threads(),
          () -> Instant.ofEpochMilli(1_700_000_000_000L),
          new CallLimits(LIMIT, 1, 1, 2, 2, Duration.ofMinutes(1)),
          () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
          new CallListener() {
            @Override
            public void onAnswers(String rpc, String position, String outcome, long count) {
              told.add(position + " " + outcome + " " + count);
            }

            @Override
            public void onOverload(String rpc) {
              told.add("overload");
            }

            @Override
            public void onAbandoned(String rpc) {
              told.add("abandoned");
            }
          });
  private final CallRunner many =
      new CallRunner(
          loop.threads(),
          () -> Instant.ofEpochMilli(1_700_000_000_000L),
          new CallLimits(LIMIT, 1, 1, 100, 100, Duration.ofMinutes(1)),
          () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
          CallListener.NOOP);
  @TempDir Path directory;
  private ProbedSource real;
  private LogSnapshot inMemory;
  private LogSnapshot onDisk;

  @BeforeEach
  void open() throws IOException {
    real = new ProbedSource(directory, 0);
    real.createTopic("real", 2);
    inMemory = real.logs("real").snapshot(0);
    onDisk = real.logs("real").snapshot(1);
    resolver.putOnDisk(onDisk);
    logs.put("memory", 10_000, partition -> inMemory);
    logs.put("mixed", 10, partition -> partition == 7 ? onDisk : inMemory);
  }

  @AfterEach
  void close() throws IOException {
    real.close();
  }

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
    assertThat(loop.work).hasSize(LongWork.MAX_OPEN);

    loop.runAll();

    assertThat(large).extracting(KeptAnswers::status).containsOnly("OK");
    assertThat(many.callsInFlight()).isZero();
  }

  @Test
  void largeCallsThatFail_makeRoomForOthers() {
    logs.put("files", 300, partition -> onDisk);
    loop.workersAreFull = true;
    List<KeptAnswers> large = new ArrayList<>();
    for (int i = 0; i < 2 * LongWork.MAX_OPEN; i++) {
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

  @Test
  void unknownTopicBesideAllThereMayBe_tooMany() {
    ask(query("memory"), query("memory"), query("gone"));

    assertThat(answers.status()).isEqualTo("INVALID_ARGUMENT");
    assertThat(String.valueOf(answers.failure)).contains("queries[2]: 20001 partitions");
  }

  @Test
  void manyQueries_areCheckedInTurnsToo() {
    ResolveTimestampRequest.Builder request = ResolveTimestampRequest.newBuilder();
    TimestampQuery query =
        TimestampQuery.newBuilder()
            .setTopic("memory")
            .addPartitions(1)
            .setPosition(
                Position.newBuilder()
                    .setAtOrAfter(TimePoint.newBuilder().setRfc3339("2024-01-01T00:00:00Z")))
            .build();
    for (int i = 0; i < 300; i++) {
      request.addQueries(query);
    }
    CallThreads ticking =
        new CallThreads(loop.threads().workers(), () -> loop, () -> loop.nanos += 200_000);
    CallRunner slow =
        new CallRunner(
            ticking,
            () -> Instant.EPOCH,
            new CallLimits(LIMIT, 1, 1, 1, 1, Duration.ofMinutes(1)),
            () -> new OpenSources(new SourceCatalog(List.of(logs)), Map.of()),
            CallListener.NOOP);

    slow.runInTurns("Test", answers, scope -> call(request.build(), scope));

    assertThat(logs.topicLookups).isZero();
    loop.runAll();
    assertThat(response().getResultsCount()).isEqualTo(300);
    assertThat(logs.topicLookups).isEqualTo(1);
  }

  @Test
  void samePartition_sameSnapshot_whateverHappensMeanwhile() {
    List<Integer> taken = new ArrayList<>();
    logs.put(
        "moving",
        3,
        partition -> {
          taken.add(partition);
          return partition == 2 ? onDisk : inMemory;
        });

    ask(query("moving", 0, 0, 2), query("moving"), query("moving", 1, 0));
    loop.runAll();

    assertThat(partitions()).containsExactly(0, 0, 2, 0, 1, 2, 1, 0);
    assertThat(taken).containsExactly(0, 2, 1);
  }

  @Test
  void failures_stayInTheirPlaces() {
    logs.put(
        "faulty",
        3,
        partition -> {
          if (partition == 1) {
            throw WhenceException.of(ErrorReason.DAMAGED_LOG, "damaged", "path", "/d");
          }
          return inMemory;
        });

    ask(
        query("gone"),
        query("gone", 4),
        query("faulty", 0, 1, 7),
        query("memory", 1).toBuilder().setExpectPartitionCount(3).build());

    ResolveTimestampResponse response = response();
    assertThat(response.getResults(0).getError().getReason().name())
        .isEqualTo("ERROR_REASON_UNKNOWN_TOPIC");
    assertThat(response.getResults(0).hasPartitionCount()).isFalse();
    assertThat(response.getResults(1).hasError()).isFalse();
    assertThat(reasons(response, 1)).containsExactly("ERROR_REASON_UNKNOWN_TOPIC");
    assertThat(reasons(response, 2))
        .containsExactly("", "ERROR_REASON_DAMAGED_LOG", "ERROR_REASON_UNKNOWN_PARTITION");
    assertThat(response.getResults(2).getPartitionCount()).isEqualTo(3);
    assertThat(response.getResults(3).getError().getMetadataMap())
        .containsEntry("partition_count", "10000");
    assertThat(told).containsExactly("at_or_after found 1", "at_or_after failed 5");
  }

  @Test
  void tooManyPartitions_refusedBeforeAnyIsLookedAt() {
    ask(query("memory"), query("memory"), query("memory", 1));

    assertThat(answers.status()).isEqualTo("INVALID_ARGUMENT");
    assertThat(String.valueOf(answers.failure)).contains("queries[2]: 20001 partitions");
    assertThat(resolver.fromMemory).isZero();
    assertThat(runner.callsInFlight()).isZero();
  }

  @Test
  void deadlinePasses_betweenSlices_endsTheCall() {
    try (Context.CancellableContext gone = Context.current().withCancellation()) {
      resolver.beforeMemory(
          () -> {
            if (resolver.fromMemory == 500) {
              gone.cancel(null);
            }
          });
      gone.run(() -> ask(query("memory")));
      loop.runTurns();
    }
    assertThat(answers.status()).isEqualTo("DEADLINE_EXCEEDED");
    assertThat(resolver.fromMemory).isLessThan(600);
    assertThat(told).containsExactly("abandoned");
  }

  @Test
  void callsBeyondTheLimit_overloaded_evenFromMemory() {
    ask(query("mixed"));
    ask(query("mixed"));
    KeptAnswers third = new KeptAnswers();

    runner.runInTurns("Test", third, scope -> call(request(query("memory", 1)), scope));

    assertThat(third.status()).isEqualTo("RESOURCE_EXHAUSTED");
    assertThat(runner.callsInFlight()).isEqualTo(2);
  }

  @Test
  void workspace_usedAgain_answersTheSame() {
    ask(query("memory"), query("gone", 1), query("mixed", 1, 2));
    loop.runTurns();
    byte[] first = answers.messages.get(0);
    KeptAnswers second = new KeptAnswers();

    runner.runInTurns(
        "Test",
        second,
        scope -> call(request(query("memory"), query("gone", 1), query("mixed", 1, 2)), scope));
    loop.runTurns();

    assertThat(second.messages.get(0)).isEqualTo(first);
  }

  @Test
  void latest_hasNoTarget() {
    ask(
        TimestampQuery.newBuilder()
            .setTopic("memory")
            .addPartitions(0)
            .setPosition(Position.newBuilder().setLatest(LatestPosition.getDefaultInstance()))
            .build());

    assertThat(response().getResults(0).hasTargetTimestampMs()).isFalse();
    assertThat(response().getResults(0).getAnswers(0).hasDistanceMs()).isFalse();
    assertThat(response().getResults(0).getAnswers(0).getStalenessMs()).isEqualTo(5);
  }

  private void ask(TimestampQuery... queries) {
    ResolveTimestampRequest request = request(queries);
    runner.runInTurns("Test", answers, scope -> call(request, scope));
  }

  private TimestampCall call(ResolveTimestampRequest request, CallScope scope) {
    return new TimestampCall(resolver, request, scope, workspaces);
  }

  private static ResolveTimestampRequest request(TimestampQuery... queries) {
    return ResolveTimestampRequest.newBuilder().addAllQueries(List.of(queries)).build();
  }

  private static TimestampQuery query(String topic, int... partitions) {
    return TimestampQuery.newBuilder()
        .setTopic(topic)
        .addAllPartitions(IntStream.of(partitions).boxed().toList())
        .setPosition(
            Position.newBuilder()
                .setAtOrAfter(TimePoint.newBuilder().setEpochMs(1_690_000_000_000L)))
        .build();
  }

  private ResolveTimestampResponse response() {
    try {
      return ResolveTimestampResponse.parseFrom(answers.messages.get(0));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private List<Integer> partitions() {
    return response().getResultsList().stream()
        .flatMap(result -> result.getAnswersList().stream())
        .map(TimestampAnswer::getPartition)
        .toList();
  }

  private static List<String> reasons(ResolveTimestampResponse response, int result) {
    return response.getResults(result).getAnswersList().stream()
        .map(answer -> answer.hasError() ? answer.getError().getReason().name() : "")
        .toList();
  }
}
