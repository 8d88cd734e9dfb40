package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.SourceCatalog;
import io.whence.v1.LatestPosition;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimestampCallTurnsTest extends TimestampCallFixture {
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
}
