package io.whence.source.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.TopicInfo;
import io.whence.testkit.Directories;
import io.whence.testkit.ExactAnswers;
import io.whence.testkit.KillHarness;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedSourceTest {
  private static final TopicPartition T0 = new TopicPartition("t", 0);

  private final DataDir dir = new DataDir();
  @TempDir private Path given;

  @AfterEach
  void stop() {
    dir.close();
  }

  @Test
  void topic_createdAndWritten_isThereAfterReopen() throws IOException {
    Path path = given.resolve("a").resolve("b");
    TopicInfo made;
    try (EmbeddedSource source = dir.open(path)) {
      made = source.createTopic("t", 3, Map.of("segment.bytes", "2048"));
      assertThat(DataDir.append(source, "t", 1, 5, 3)).isEqualTo(new OffsetRange(0, 2));
      assertThat(DataDir.append(source, "t", 2, 9)).isEqualTo(new OffsetRange(0, 1));
    }
    try (EmbeddedSource source = dir.open(path)) {
      assertThat(source.topics()).containsExactly(made);
      assertThat(source.topic("t").config()).containsEntry("segment.bytes", "2048");
      assertThat(source.warnings()).isEmpty();
      ExactAnswers.assertExact(
          source.snapshot(new TopicPartition("t", 1)),
          List.of(OracleRecord.data(0, 5), OracleRecord.data(1, 3)),
          new Random(1));
      assertThat(DataDir.append(source, "t", 1, 7).startOffset()).isEqualTo(2);
    }
  }

  @Test
  void topic_recreatedAfterTrimAndCheckpoint_hasANewIdAndNothingOld() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      TopicId old = source.createTopic("t", 1, Map.of()).id();
      DataDir.append(source, "t", 0, 1, 2, 3);
      source.trim(T0, 2);
    }
    // Now the recovery point of the old topic is stored, too.
    try (EmbeddedSource source = dir.open(given)) {
      var before = source.snapshot(T0);
      TopicId old = source.topic("t").id();
      assertThat(source.deleteTopic("t", Optional.of(old)).id()).isEqualTo(old);
      assertThat(given.resolve("t-0")).doesNotExist();
      assertFails(ErrorReason.UNKNOWN_TOPIC, () -> source.snapshot(T0));
      TopicInfo fresh = source.createTopic("t", 1, Map.of());
      assertThat(fresh.id()).isNotEqualTo(old);
      assertEmpty(source);
      DataDir.append(source, "t", 0, 500, 600, 700);
      // A reader of the old topic must not be given records of the new one.
      assertFails(
          ErrorReason.STORAGE_ERROR,
          () ->
              ExactAnswers.assertExact(
                  before,
                  List.of(
                      OracleRecord.data(0, 1), OracleRecord.data(1, 2), OracleRecord.data(2, 3)),
                  new Random(1)));
    }
    try (EmbeddedSource source = dir.open(given)) {
      assertThat(source.snapshot(T0).logStartOffset()).isZero();
      assertThat(source.snapshot(T0).highWatermark()).isEqualTo(3);
      assertThat(source.snapshot(T0).damages()).isEmpty();
    }
  }

  @Test
  void createTopic_again_isRefusedWithTheId() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      TopicInfo made = source.createTopic("t", 1, Map.of());
      WhenceException failure =
          assertFails(ErrorReason.TOPIC_EXISTS, () -> source.createTopic("t", 2, Map.of()));
      assertThat(failure.metadata()).containsEntry("topic_id", made.id().toString());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 10_001, Integer.MAX_VALUE})
  void createTopic_badPartitionCount_isRefusedAndHarmsNothing(int count) throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      assertFails(ErrorReason.INVALID_ARGUMENT, () -> source.createTopic("t", count, Map.of()));
      source.createTopic("u", 1, Map.of());
    }
    try (EmbeddedSource source = dir.open(given)) {
      assertThat(source.topics()).extracting(TopicInfo::name).containsExactly("u");
    }
  }

  @Test
  void createTopic_badConfig_isRefused() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      assertFails(
          ErrorReason.INVALID_ARGUMENT,
          () -> source.createTopic("t", 1, Map.of("segment.bytes", "many")));
      assertFails(
          ErrorReason.INVALID_ARGUMENT, () -> source.createTopic("t", 1, Map.of("no.such", "1")));
      assertThatThrownBy(() -> source.createTopic("../t", 1, Map.of()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(source.topics()).isEmpty();
    }
  }

  @Test
  void deleteTopic_otherId_isStale() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      source.createTopic("t", 1, Map.of());
      TopicId other = new TopicId(new UUID(1, 2));
      assertFails(ErrorReason.STALE_TOPIC, () -> source.deleteTopic("t", Optional.of(other)));
      assertThat(source.topics()).hasSize(1);
      assertFails(ErrorReason.UNKNOWN_TOPIC, () -> source.deleteTopic("v", Optional.empty()));
    }
  }

  @Test
  void partition_unknown_isNamed() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      source.createTopic("t", 2, Map.of());
      WhenceException failure =
          assertFails(
              ErrorReason.UNKNOWN_PARTITION, () -> source.snapshot(new TopicPartition("t", 2)));
      assertThat(failure.metadata()).containsEntry("partition_count", "2");
    }
  }

  @Test
  void trim_insideBatch_survivesAKill() throws IOException {
    EmbeddedSource source = dir.open(given);
    source.createTopic("t", 1, Map.of());
    DataDir.append(source, "t", 0, 1, 2, 3);
    assertThat(source.trim(T0, 2)).isEqualTo(2);
    Path killed = given.resolveSibling(given.getFileName() + "-killed");
    Directories.copy(given, killed);
    source.close();
    try (EmbeddedSource reopened = dir.open(killed)) {
      assertThat(reopened.snapshot(T0).logStartOffset()).isEqualTo(2);
      assertThat(reopened.snapshot(T0).highWatermark()).isEqualTo(3);
    } finally {
      Directories.delete(killed);
    }
  }

  @Test
  void open_twice_failsNamingLockAndPath() throws IOException {
    try (EmbeddedSource source = dir.open(given)) {
      assertThatThrownBy(() -> dir.open(given))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(given.resolve(".lock").toString());
      // The second try must not have given away the lock of the first.
      KillHarness other =
          new KillHarness(Opener.class, List.of(given.toString()), given.resolveSibling("err"));
      assertThat(other.killAfterLines(2, Duration.ofSeconds(60)).lines())
          .singleElement()
          .asString()
          .contains("another process", given.resolve(".lock").toString());
      source.createTopic("t", 1, Map.of());
    }
    try (EmbeddedSource source = dir.open(given)) {
      assertThat(source.topics()).hasSize(1);
    }
  }

  /** Opens a directory and prints why it can't. */
  static final class Opener {
    public static void main(String[] args) {
      try (DataDir dir = new DataDir();
          EmbeddedSource source = dir.open(Path.of(args[0]))) {
        System.out.println("opened with " + source.topics());
      } catch (IOException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void open_directoryOfABroker_isRefused() throws IOException {
    Files.writeString(given.resolve("meta.properties"), "version=1\n");
    assertThatThrownBy(() -> dir.open(given))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(given.toString())
        .hasMessageContaining("--archive");
    assertThat(given.resolve(".lock")).doesNotExist();
  }

  @Test
  void open_whereNothingCanBeWritten_saysSo() throws IOException {
    Path file = Files.writeString(given.resolve("file"), "");
    assertThatThrownBy(() -> dir.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("data directory");
    Path blocked = Files.createDirectories(given.resolve("dir").resolve(".lock")).getParent();
    assertThatThrownBy(() -> dir.open(blocked))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(blocked + ": must be writable");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0\n1\nt AAAAAAAAAAAAAAAAAAAAAA\n",
        "0\n1\nt AAAAAAAAAAAAAAAAAAAAAA many -\n",
        "0\n1\nt AAA 1 -\n",
        "0\n1\n../t AAAAAAAAAAAAAAAAAAAAAA 1 -\n",
        "0\n1\nt AAAAAAAAAAAAAAAAAAAAAA 1 no.such=1\n",
        "0\n1\nt AAAAAAAAAAAAAAAAAAAAAA 1 segment.bytes\n"
      })
  void open_damagedTopicsFile_namesPathAndLine(String text) throws IOException {
    Path file = Files.writeString(given.resolve("whence-topics"), text);
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> dir.open(given)).hasMessageContaining(file + " at line 3");
    }
    assertThat(Files.readString(file)).isEqualTo(text);
  }

  @Test
  void open_topicTwiceInTheFile_namesTheSecondLine() throws IOException {
    String line = "t AAAAAAAAAAAAAAAAAAAAAA 1 -\n";
    Path file = Files.writeString(given.resolve("whence-topics"), "0\n2\n" + line + line);
    assertThatThrownBy(() -> dir.open(given)).hasMessageContaining(file + " at line 4");
  }

  @Test
  void open_foreignDirectoryWithRecords_isLeftAloneAndBlocksItsName() throws IOException {
    Path foreign = Files.createDirectories(given.resolve("x-0"));
    Path log = Files.write(foreign.resolve("0".repeat(20) + ".log"), new byte[100]);
    try (EmbeddedSource source = dir.open(given)) {
      assertThat(source.warnings()).singleElement().asString().contains(foreign.toString());
      WhenceException failure =
          assertFails(ErrorReason.STORAGE_ERROR, () -> source.createTopic("x", 1, Map.of()));
      assertThat(failure.getMessage()).contains(foreign.toString());
      assertThat(log).hasSize(100);
      assertThat(source.topics()).isEmpty();
    }
  }

  @Test
  void close_afterwards_refusesAndLeavesTheCleanMarker() throws IOException {
    EmbeddedSource source = dir.open(given);
    source.createTopic("t", 1, Map.of());
    assertThat(given.resolve(".kafka_cleanshutdown")).doesNotExist();
    source.close();
    assertThat(given.resolve(".kafka_cleanshutdown")).exists();
    assertFails(ErrorReason.DRAINING, () -> source.createTopic("u", 1, Map.of()));
    assertFails(ErrorReason.DRAINING, () -> source.deleteTopic("t", Optional.empty()));
  }

  private static void assertEmpty(EmbeddedSource source) {
    assertThat(source.snapshot(T0).logStartOffset()).isZero();
    assertThat(source.snapshot(T0).highWatermark()).isZero();
    assertThat(source.snapshot(T0).damages()).isEmpty();
  }

  private static WhenceException assertFails(ErrorReason reason, Runnable call) {
    WhenceException[] failure = new WhenceException[1];
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(reason);
              failure[0] = e;
            });
    return failure[0];
  }
}
