package io.whence.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.IsolationLevel;
import io.whence.model.Outcome;
import io.whence.model.Position.AllAfter;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Position.AtOrBefore;
import io.whence.model.Position.Earliest;
import io.whence.model.Position.Latest;
import io.whence.model.Position.MaxTimestamp;
import io.whence.model.Resolution;
import io.whence.testkit.Fixture.Answer;
import io.whence.testkit.Fixture.Partition;
import io.whence.testkit.Fixture.Query;
import io.whence.testkit.Fixture.Stamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The oracle and the answers recorded with the fixtures were made independently; that they agree
 * proves both.
 */
class FixturesTest {
  static Stream<String> names() {
    return Fixtures.names().stream();
  }

  @Test
  void names_listed_areAllSeventeen() {
    assertThat(Fixtures.names()).hasSize(17).contains("codecs", "transactions");
  }

  @ParameterizedTest
  @MethodSource("names")
  void oracle_everyQuery_agreesWithFixture(String name) {
    int compared = 0;
    for (Partition partition : Fixtures.load(name).partitions()) {
      BruteForce oracle = Fixtures.oracle(name, partition);
      for (Query query : partition.queries()) {
        for (IsolationLevel isolation : IsolationLevel.values()) {
          assertAgrees(oracle, query, isolation, name + " " + partition.dir() + " " + query);
          compared++;
        }
      }
    }
    assertThat(compared).isPositive();
  }

  @ParameterizedTest
  @MethodSource("names")
  void oracle_namedPositions_agreeWithFixture(String name) {
    for (Partition partition : Fixtures.load(name).partitions()) {
      BruteForce oracle = Fixtures.oracle(name, partition);
      for (IsolationLevel isolation : IsolationLevel.values()) {
        String what = name + " " + partition.dir() + " " + isolation;
        Stamp max = partition.sentinels().maxTimestamp().get(isolation);
        // The recorded maximum counts negative timestamps; these are no time for Whence.
        Stamp timedMax = max == null || max.timestampMs() < 0 ? null : max;
        Resolution earliest = oracle.resolve(new Earliest(), isolation);
        Resolution latest = oracle.resolve(new Latest(), isolation);
        assertThat(stamp(oracle.resolve(new MaxTimestamp(), isolation)))
            .as(what)
            .isEqualTo(timedMax);
        assertThat(earliest.offset())
            .as(what)
            .isEqualTo(kafkaOffset(partition, "earliest", isolation));
        assertThat(latest.offset()).as(what).isEqualTo(kafkaOffset(partition, "latest", isolation));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void kafka_whereItDoesNotDiffer_isTheExactAnswer(String name) {
    for (Partition partition : Fixtures.load(name).partitions()) {
      for (Query query : partition.queries()) {
        for (IsolationLevel isolation : IsolationLevel.values()) {
          if (!query.kafkaDiffers().containsKey(isolation)) {
            Stamp exact = query.answer(isolation).firstAtOrAfter();
            assertThat(query.kafka().get(isolation))
                .isEqualTo(exact == null ? new Stamp(-1, -1, -1) : exact);
          }
        }
      }
    }
  }

  @Test
  void unpack_killedBroker_keepsSparseFilesAndTimes(@TempDir Path directory) throws IOException {
    Path logDir = Fixtures.unpack("no-timestamp-mtime", directory.resolve("a"));
    Path killed = Fixtures.unpack("kill9-intact", directory.resolve("b"));

    FileTime written = Files.getLastModifiedTime(logDir.resolve("nots-0/00000000000000000026.log"));
    assertThat(written.toMillis()).isEqualTo(1384009116000L);
    assertThat(Files.size(killed.resolve("u-0/" + lastSegment("kill9-intact") + ".timeindex")))
        .isGreaterThan(10_000_000);
    assertThat(killed.resolve(".kafka_cleanshutdown")).doesNotExist();
  }

  private static String lastSegment(String name) {
    List<Long> bases = Fixtures.load(name).partition("u-0").segmentBaseOffsets();
    return String.format(Locale.ROOT, "%020d", bases.get(bases.size() - 1));
  }

  private static void assertAgrees(
      BruteForce oracle, Query query, IsolationLevel isolation, String what) {
    Answer expected = query.answer(isolation);
    long target = query.timestampMs();
    Resolution allAfter = oracle.resolve(new AllAfter(target), isolation);

    assertThat(stamp(oracle.resolve(new AtOrAfter(target), isolation)))
        .as(what)
        .isEqualTo(expected.firstAtOrAfter());
    assertThat(stamp(oracle.resolve(new AtOrBefore(target), isolation)))
        .as(what)
        .isEqualTo(expected.lastAtOrBefore());
    assertThat(allAfter.boundaryOffset()).as(what).isEqualTo(expected.suffixSafeOffset());
    if (allAfter.outcome() == Outcome.FOUND) {
      assertThat(allAfter.offset()).as(what).isEqualTo(expected.suffixSafeOffset());
    }
  }

  private static long kafkaOffset(Partition partition, String name, IsolationLevel isolation) {
    return partition.sentinels().kafka(name, isolation).offset();
  }

  private static @Nullable Stamp stamp(Resolution answer) {
    return answer.record() == null
        ? null
        : new Stamp(
            answer.offset(), answer.record().timestampMs(), answer.record().partitionLeaderEpoch());
  }
}
