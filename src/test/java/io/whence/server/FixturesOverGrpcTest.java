package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.whence.app.GrpcServerHandle;
import io.whence.model.IsolationLevel;
import io.whence.testkit.Fixture;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixture.Query;
import io.whence.testkit.Fixture.Stamp;
import io.whence.testkit.Fixtures;
import io.whence.v1.EarliestPosition;
import io.whence.v1.LatestPosition;
import io.whence.v1.Outcome;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.ResolveTimestampResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded answer about the directories of a real broker, asked for over gRPC. */
@QuarkusTest
@TestProfile(ArchivesProfile.class)
class FixturesOverGrpcTest {
  @Inject GrpcServerHandle server;

  private Client client;

  static List<String> fixtures() {
    return Fixtures.names();
  }

  @BeforeEach
  void connect() {
    client = new Client(server.port());
  }

  @AfterEach
  void disconnect() throws InterruptedException {
    client.close();
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void everyRecordedQuery_answeredAsByBruteForce(String name) {
    Fixture fixture = Fixtures.load(name);
    for (Partition partition : fixture.partitions()) {
      for (IsolationLevel isolation : IsolationLevel.values()) {
        compare(name, partition, isolation, ask(name, partition, isolation));
      }
    }
  }

  /** Asks for earliest and latest, and at each recorded time for three positions, in one call. */
  private List<TimestampAnswer> ask(String name, Partition partition, IsolationLevel isolation) {
    ResolveTimestampRequest.Builder request =
        ResolveTimestampRequest.newBuilder()
            .setSource(name)
            .setIsolationLevelValue(isolation.ordinal() + 1)
            .setAllowUnusualTime(true);
    List<Position> positions = new ArrayList<>();
    positions.add(Position.newBuilder().setEarliest(EarliestPosition.getDefaultInstance()).build());
    positions.add(Position.newBuilder().setLatest(LatestPosition.getDefaultInstance()).build());
    for (Query query : partition.queries()) {
      TimePoint time = TimePoint.newBuilder().setEpochMs(query.timestampMs()).build();
      positions.add(Position.newBuilder().setAtOrAfter(time).build());
      positions.add(Position.newBuilder().setAtOrBefore(time).build());
      positions.add(Position.newBuilder().setAllAfter(time).build());
    }
    for (Position position : positions) {
      request.addQueries(
          TimestampQuery.newBuilder()
              .setTopic(partition.topicPartition().topic())
              .addPartitions(partition.topicPartition().partition())
              .setPosition(position));
    }
    ResolveTimestampResponse response = client.resolver.resolveTimestamp(request.build());
    return response.getResultsList().stream().map(result -> result.getAnswers(0)).toList();
  }

  private void compare(
      String name, Partition partition, IsolationLevel isolation, List<TimestampAnswer> answers) {
    long end =
        isolation == IsolationLevel.READ_COMMITTED
            ? partition.lastStableOffset()
            : partition.highWatermark();
    assertThat(answers).hasSize(2 + 3 * partition.queries().size());
    assertThat(answers.get(0).getOffset()).isEqualTo(partition.logStartOffset());
    assertThat(answers.get(1).getOffset()).isEqualTo(end);
    for (int i = 0; i < partition.queries().size(); i++) {
      Query query = partition.queries().get(i);
      Fixture.Answer expected = query.answer(isolation);
      String what = name + " " + partition.dir() + " " + isolation + " " + query.timestampMs();
      compare(what + " at or after", expected.firstAtOrAfter(), answers.get(2 + 3 * i));
      compare(what + " at or before", expected.lastAtOrBefore(), answers.get(3 + 3 * i));
      assertThat(answers.get(4 + 3 * i).getBoundaryOffset())
          .as(what + " all after")
          .isEqualTo(expected.suffixSafeOffset());
    }
  }

  private static void compare(String what, @Nullable Stamp expected, TimestampAnswer answer) {
    Optional<Long> offset = answer.hasOffset() ? Optional.of(answer.getOffset()) : Optional.empty();
    assertThat(offset).as(what).isEqualTo(Optional.ofNullable(expected).map(Stamp::offset));
    assertThat(answer.hasError()).as(what).isFalse();
    if (expected == null) {
      assertThat(answer.getOutcome()).as(what).isNotEqualTo(Outcome.OUTCOME_FOUND);
    } else {
      assertThat(answer.getOutcome()).as(what).isEqualTo(Outcome.OUTCOME_FOUND);
      assertThat(answer.getRecord().getTimestampMs()).as(what).isEqualTo(expected.timestampMs());
      assertThat(answer.getRecord().getLeaderEpoch()).as(what).isEqualTo(expected.leaderEpoch());
    }
  }
}
