package io.whence.source.archive;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.resolve.LogResolver;
import io.whence.testkit.Fixture;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixture.Query;
import io.whence.testkit.Fixture.Stamp;
import io.whence.testkit.Fixtures;
import io.whence.testkit.KafkaAdoption;
import io.whence.testkit.KafkaBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real broker that opens a copy of an archive answers as we do, but for its known limits. */
class ArchiveBrokerIT {
  private static final Stamp NOTHING = new Stamp(-1, -1, -1);

  @TempDir private Path archive;

  /** A question to the broker whose answer is under way. */
  private record Asked(
      Partition partition,
      Position position,
      io.whence.model.IsolationLevel isolation,
      boolean differs,
      KafkaFuture<ListOffsetsResultInfo> answer) {}

  @ParameterizedTest
  @ValueSource(strings = {"transactions", "disordered", "kill9-intact"})
  void broker_answersTheSame(String name) throws Exception {
    Fixtures.unpack(name, archive);
    ArchiveSource source = Archives.load(archive);

    int same = 0;
    int different = 0;
    try (KafkaBroker broker = KafkaAdoption.start(archive, Map.of());
        Admin admin = broker.admin()) {
      for (Asked asked : ask(admin, Fixtures.load(name))) {
        LogSnapshot log = source.snapshot(asked.partition().topicPartition());
        Stamp theirs = theirs(asked);
        Stamp ours = ours(log, asked);
        if (asked.differs()) {
          assertThat(theirs).as("%s", asked).isNotEqualTo(ours);
          different++;
        } else {
          assertThat(theirs).as("%s", asked).isEqualTo(ours);
          same++;
        }
      }
    }

    assertThat(same).isGreaterThan(250);
    assertThat(different > 0).isEqualTo(name.equals("transactions"));
  }

  private static List<Asked> ask(Admin admin, Fixture fixture) {
    List<Asked> asked = new ArrayList<>();
    for (Partition partition : fixture.partitions()) {
      if (partition.topicPartition().topic().startsWith("__")) {
        continue; // The broker has its own.
      }
      for (var isolation : io.whence.model.IsolationLevel.values()) {
        asked.add(ask(admin, partition, new Position.Earliest(), isolation, false));
        asked.add(ask(admin, partition, new Position.Latest(), isolation, false));
        for (Query query : partition.queries()) {
          // Kafka's API takes negative times for positions by name.
          if (query.timestampMs() >= 0) {
            Position position = new Position.AtOrAfter(query.timestampMs());
            boolean differs = query.kafkaDiffers().containsKey(isolation);
            asked.add(ask(admin, partition, position, isolation, differs));
          }
        }
      }
    }
    return asked;
  }

  private static Asked ask(
      Admin admin,
      Partition partition,
      Position position,
      io.whence.model.IsolationLevel isolation,
      boolean differs) {
    TopicPartition topicPartition =
        new TopicPartition(
            partition.topicPartition().topic(), partition.topicPartition().partition());
    OffsetSpec spec = OffsetSpec.latest();
    if (position instanceof Position.Earliest) {
      spec = OffsetSpec.earliest();
    } else if (position instanceof Position.AtOrAfter p) {
      spec = OffsetSpec.forTimestamp(p.targetTimestampMs());
    }
    ListOffsetsOptions options = new ListOffsetsOptions(IsolationLevel.valueOf(isolation.name()));
    KafkaFuture<ListOffsetsResultInfo> answer =
        admin.listOffsets(Map.of(topicPartition, spec), options).partitionResult(topicPartition);
    return new Asked(partition, position, isolation, differs, answer);
  }

  private static Stamp theirs(Asked asked) throws Exception {
    ListOffsetsResultInfo info = asked.answer().get(60, SECONDS);
    // For positions by name the broker gives the epoch of its own leadership.
    return asked.position() instanceof Position.AtOrAfter
        ? new Stamp(info.offset(), info.timestamp(), info.leaderEpoch().orElse(-1))
        : new Stamp(info.offset(), -1, -1);
  }

  private static Stamp ours(LogSnapshot log, Asked asked) {
    Resolution answer =
        new LogResolver().resolve(log, asked.position(), asked.isolation(), Cancellation.NONE);
    if (answer.outcome() != Outcome.FOUND) {
      return NOTHING;
    }
    if (!(asked.position() instanceof Position.AtOrAfter) || answer.record() == null) {
      return new Stamp(answer.offset(), -1, -1);
    }
    return new Stamp(
        answer.offset(), answer.record().timestampMs(), answer.record().partitionLeaderEpoch());
  }
}
