package io.whence.source.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.source.TopicInfo;
import io.whence.testkit.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opens what a crash leaves between two steps of a change of topics, put together by hand. */
class EmbeddedCrashTest {
  private static final TopicPartition T0 = new TopicPartition("t", 0);

  private final DataDir dir = new DataDir();
  @TempDir private Path given;
  private Path path;

  @BeforeEach
  void place() {
    path = given.resolve("data");
  }

  @AfterEach
  void stop() {
    dir.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "partition.metadata.tmp", "partition.metadata", "leader-epoch-checkpoint"})
  void create_crashBeforeTheTopicsFile_leavesNoTopicAndNoDirectory(String last) throws IOException {
    try (EmbeddedSource source = dir.open(path)) {
      source.createTopic("t", 2, Map.of());
    }
    Path unfinished = given.resolve("unfinished");
    Directories.copy(path.resolve("t-0"), unfinished);
    dir.open(path).close();
    try (EmbeddedSource source = dir.open(path)) {
      source.deleteTopic("t", Optional.empty());
    }
    Directories.copy(unfinished, path.resolve("t-0"));
    keepUpTo(path.resolve("t-0"), last);

    try (EmbeddedSource source = dir.open(path)) {
      assertThat(source.topics()).isEmpty();
      assertThat(source.warnings()).isEmpty();
      assertThat(path.resolve("t-0")).doesNotExist();
      TopicId id = source.createTopic("t", 1, Map.of()).id();
      DataDir.append(source, "t", 0, 7);
      assertThat(Files.readString(path.resolve("t-0/partition.metadata"))).contains(id.toString());
    }
    try (EmbeddedSource source = dir.open(path)) {
      assertThat(source.snapshot(T0).highWatermark()).isEqualTo(1);
    }
  }

  private static void keepUpTo(Path directory, String last) throws IOException {
    List<String> order = List.of("partition.metadata", "leader-epoch-checkpoint");
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        boolean isLog = name.endsWith(".log");
        boolean isKept = order.contains(name) && order.indexOf(name) <= order.indexOf(last);
        if (!(isLog && last.equals("leader-epoch-checkpoint")) && !isKept) {
          Files.delete(file);
        }
      }
    }
    if (last.endsWith(".tmp")) {
      Files.writeString(directory.resolve(last), "half");
    }
  }

  @Test
  void create_crashBetweenTopicsFileAndAnswer_hasTheTopic() throws IOException {
    try (EmbeddedSource source = dir.open(path)) {
      source.createTopic("t", 2, Map.of());
      Directories.copy(path, given.resolve("killed"));
    }
    try (EmbeddedSource source = dir.open(given.resolve("killed"))) {
      assertThat(source.topics()).extracting(TopicInfo::partitionCount).containsExactly(2);
    }
  }

  @Test
  void delete_crashAfterTheMark_isFinishedByTheNextStart() throws IOException {
    String deleting = markDeleted();
    Files.writeString(path.resolve("whence-topics"), deleting);

    assertGoneAndRecreatable();
  }

  @Test
  void delete_crashInTheMiddleOfADirectory_isFinishedByTheNextStart() throws IOException {
    String deleting = markDeleted();
    Files.writeString(path.resolve("whence-topics"), deleting);
    Directories.delete(path.resolve("t-1"));
    try (var files = Files.list(path.resolve("t-0"))) {
      for (Path file : files.toList()) {
        if (!file.endsWith("partition.metadata") && !file.toString().endsWith(".log")) {
          Files.delete(file);
        }
      }
    }
    assertGoneAndRecreatable();
  }

  @Test
  void delete_crashBeforeTheMarkIsTakenBack_isFinishedByTheNextStart() throws IOException {
    String deleting = markDeleted();
    Files.writeString(path.resolve("whence-topics"), deleting);
    Directories.delete(path.resolve("t-0"));
    Directories.delete(path.resolve("t-1"));

    assertGoneAndRecreatable();
  }

  /** Makes a trimmed topic of two partitions. Returns the topics file once it is marked. */
  private String markDeleted() throws IOException {
    try (EmbeddedSource source = dir.open(path)) {
      source.createTopic("t", 2, Map.of());
      DataDir.append(source, "t", 0, 1, 2, 3, 4);
      DataDir.append(source, "t", 1, 1);
      source.trim(T0, 3);
      TopicId id = source.topic("t").id();
      return "0\n1\nt " + id + " 0 -\n";
    }
  }

  private void assertGoneAndRecreatable() throws IOException {
    try (EmbeddedSource source = dir.open(path)) {
      assertThat(source.topics()).isEmpty();
      assertThat(source.warnings()).isEmpty();
      assertThat(path.resolve("t-0")).doesNotExist();
      assertThat(path.resolve("t-1")).doesNotExist();
      source.createTopic("t", 2, Map.of());
      assertThat(source.snapshot(T0).logStartOffset()).isZero();
      assertThat(DataDir.append(source, "t", 0, 50).startOffset()).isZero();
    }
    try (EmbeddedSource source = dir.open(path)) {
      assertThat(source.snapshot(T0).logStartOffset()).isZero();
      assertThat(source.snapshot(T0).highWatermark()).isEqualTo(1);
      assertThat(source.snapshot(T0).damages()).isEmpty();
    }
  }
}
