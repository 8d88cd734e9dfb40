package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.whence.log.CleanShutdownMarker;
import io.whence.log.OffsetCheckpoint;
import io.whence.log.PartitionMetadataFile;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.testkit.Directories;
import io.whence.testkit.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which directories make an archive, and what becomes of those that don't. */
class ArchiveDirectoriesTest {
  private static final List<String> CHECKPOINTS =
      List.of(
          OffsetCheckpoint.RECOVERY_POINT,
          OffsetCheckpoint.LOG_START_OFFSET,
          OffsetCheckpoint.HIGH_WATERMARK);

  @TempDir private Path directory;
  private Path a;
  private Path b;

  @BeforeEach
  void nameDirectories() {
    a = directory.resolve("a");
    b = directory.resolve("b");
  }

  @Test
  void open_notALogDirectory_namesPathAndRule() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    Path empty = Files.createDirectory(directory.resolve("empty"));
    Path partition = Fixtures.unpack("disordered", a).resolve("jitter-0");

    assertRefused(directory.resolve("absent"), "does not exist");
    assertRefused(file, "is not a directory");
    assertRefused(empty, "holds neither meta.properties nor partitions");
    assertRefused(partition, "is the directory of a partition");
    assertThatThrownBy(() -> Archives.load(a, a)).hasMessageContaining(a + ": given twice");
    assertThatThrownBy(() -> ArchiveOptions.of(List.of(a)).withCache(a.resolve("cache")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is inside the archive " + a);
    assertThatThrownBy(() -> ArchiveOptions.of(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertRefused(Path path, String rule) {
    assertThatThrownBy(() -> Archives.load(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("archive directory " + path + ": " + rule)
        .hasMessageContaining("expected a log directory");
  }

  @ParameterizedTest
  @ValueSource(strings = {"delete-records", "consumer-offsets", "kill9-truncated"})
  void severalLogDirectories_eachWithItsCheckpoints_areOneArchive(String fixture)
      throws IOException {
    Fixtures.unpack(fixture, a);
    Files.createDirectory(b);
    int moved = 0;
    for (Path partition : partitionDirs()) {
      if (moved++ % 2 == 0) {
        Files.move(partition, b.resolve(partition.getFileName()));
      }
    }
    Files.copy(a.resolve("meta.properties"), b.resolve("meta.properties"));
    if (new CleanShutdownMarker(a).exists()) {
      new CleanShutdownMarker(b).write();
    }
    for (String name : CHECKPOINTS) {
      splitCheckpoint(name);
    }

    ArchiveSource source = Archives.load(a, b);

    assertThat(Archives.assertAnswersOf(fixture, source, new Random(7))).isGreaterThan(500);
  }

  private List<Path> partitionDirs() throws IOException {
    try (Stream<Path> paths = Files.list(a)) {
      return paths.filter(Files::isDirectory).sorted().toList();
    }
  }

  private void splitCheckpoint(String name) throws IOException {
    Map<TopicPartition, Long> here = new HashMap<>();
    Map<TopicPartition, Long> there = new HashMap<>();
    new OffsetCheckpoint(a.resolve(name))
        .read()
        .forEach(
            (partition, offset) ->
                (Files.exists(a.resolve(partition.toString())) ? here : there)
                    .put(partition, offset));
    new OffsetCheckpoint(a.resolve(name)).write(here);
    new OffsetCheckpoint(b.resolve(name)).write(there);
  }

  @Test
  void severalLogDirectories_oneCleanAndOneNot_eachIsTreatedAsItIs() {
    Fixtures.unpack("disordered", a);
    Fixtures.unpack("kill9-corrupt", b);

    ArchiveSource source = Archives.load(a, b);

    Archives.assertAnswersOf("disordered", source, new Random(7));
    Archives.assertAnswersOf("kill9-corrupt", source, new Random(7));
  }

  @Test
  void samePartitionInTwoDirectories_failsAlone() {
    Fixtures.unpack("disordered", a);
    Directories.copy(a.resolve("jitter-1"), b.resolve("jitter-1"));

    ArchiveSource source = Archives.load(a, b);

    WhenceException failure = failure(() -> source.snapshot(new TopicPartition("jitter", 1)));
    assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
    assertThat(failure)
        .hasMessageContaining(a.resolve("jitter-1").toString())
        .hasMessageContaining(b.resolve("jitter-1").toString())
        .hasMessageContaining("remove all but one");
    assertThat(source.snapshot(new TopicPartition("jitter", 0)).highWatermark()).isEqualTo(482);
    assertThat(source.warnings()).anyMatch(warning -> warning.contains("jitter-1: not served"));
  }

  @Test
  void directoriesNotServed_areIgnoredWithAWarning() throws IOException {
    Fixtures.unpack("disordered", a);
    String id = "0123456789abcdef0123456789abcdef";
    List<String> names =
        List.of(
            "jitter-0." + id + "-delete",
            "jitter-1." + id + "-future",
            "jitter-2." + id + "-stray",
            "lost+found",
            "jitter-01",
            "jitter-99999999999");
    for (String name : names) {
      Directories.copy(a.resolve("jitter-3"), a.resolve(name));
    }
    Files.createDirectory(a.resolve("remote-log-index-cache"));
    Directories.copy(a.resolve("jitter-3"), a.resolve("__cluster_metadata-0"));

    ArchiveSource source = Archives.load(a);

    assertThat(source.warnings()).hasSize(names.size());
    for (String name : names) {
      assertThat(source.warnings()).anyMatch(w -> w.startsWith(a.resolve(name) + ": ignored"));
    }
    assertThat(source.topics()).extracting("name").containsExactly("jitter");
    Archives.assertAnswersOf("disordered", source, new Random(7));
  }

  @Test
  void malformedCheckpoints_areIgnoredAsByABroker() throws IOException {
    Fixtures.unpack("delete-records", a);
    for (String name : CHECKPOINTS) {
      Files.writeString(a.resolve(name), "0\nmany\ndr 0 102\n");
    }

    ArchiveSource source = Archives.load(a);

    assertThat(source.warnings())
        .hasSize(2)
        .allSatisfy(w -> assertThat(w).contains("checkpoint").contains("ignored as a whole"));
    // Where the first segment starts; the checkpoint had 102.
    assertThat(source.snapshot(new TopicPartition("dr", 0)).logStartOffset()).isZero();
  }

  @Test
  void missingPartition_isUnknownAndCounted() {
    Fixtures.unpack("disordered", a);
    Directories.delete(a.resolve("jitter-1"));

    ArchiveSource source = Archives.load(a);

    assertThat(source.topic("jitter").partitionCount()).isEqualTo(4);
    WhenceException missing = failure(() -> source.snapshot(new TopicPartition("jitter", 1)));
    assertThat(missing.reason()).isEqualTo(ErrorReason.UNKNOWN_PARTITION);
    assertThat(missing).hasMessageContaining("directory jitter-1 is not in archive 'archive'");
    WhenceException above = failure(() -> source.snapshot(new TopicPartition("jitter", 4)));
    assertThat(above.reason()).isEqualTo(ErrorReason.UNKNOWN_PARTITION);
    assertThat(above).hasMessageContaining("has 4 partitions");
    WhenceException topic = failure(() -> source.snapshot(new TopicPartition("other", 0)));
    assertThat(topic.reason()).isEqualTo(ErrorReason.UNKNOWN_TOPIC);
    assertThat(failure(() -> source.topic("other")).metadata()).containsEntry("topic", "other");
  }

  @Test
  void unreadableLog_failsAlone() throws IOException {
    Fixtures.unpack("disordered", a);
    Path log = a.resolve("jitter-2/00000000000000000109.log");
    Files.delete(log);
    Files.createSymbolicLink(log, a.resolve("gone"));

    ArchiveSource source = Archives.load(a);

    WhenceException failure = failure(() -> source.snapshot(new TopicPartition("jitter", 2)));
    assertThat(failure.reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
    assertThat(failure.metadata()).containsEntry("path", a.resolve("jitter-2").toString());
    assertThat(source.topic("jitter").partitionCount()).isEqualTo(4);
    assertThat(source.snapshot(new TopicPartition("jitter", 3)).highWatermark()).isEqualTo(979);
    assertThat(source.warnings()).singleElement().asString().contains("jitter-2: not served");
  }

  @Test
  void partitionMetadata_malformedOrOfTwoTopics_leavesTheTopicWithoutId() throws IOException {
    Fixtures.unpack("disordered", a);
    Fixtures.unpack("ordered-plain", a.resolve("x"));
    Path orders = a.resolve("orders-1");
    Directories.copy(a.resolve("x/orders-1"), orders);
    Directories.delete(a.resolve("x"));
    Files.writeString(orders.resolve(PartitionMetadataFile.FILE_NAME), "version: 7\n");
    new PartitionMetadataFile(a.resolve("jitter-3").resolve(PartitionMetadataFile.FILE_NAME))
        .write(new TopicId(new UUID(1, 2)));

    ArchiveSource source = Archives.load(a);

    assertThat(source.topic("jitter").topicId()).isEmpty();
    assertThat(source.topic("orders").topicId()).isEmpty();
    assertThat(source.warnings())
        .anyMatch(warning -> warning.startsWith("jitter: its partitions are of several topics"))
        .anyMatch(warning -> warning.contains("expected version: 0"));
    assertThat(source.snapshot(new TopicPartition("orders", 1)).highWatermark()).isEqualTo(300);
  }

  @Test
  void topicsPattern_matchesWholeNames() {
    Fixtures.unpack("ordered-plain", a);

    ArchiveSource source =
        Archives.load(ArchiveOptions.of(List.of(a)).withTopics(Pattern.compile("orders.?i64")));

    assertThat(source.topics()).extracting("name").containsExactly("orders.i64");
  }

  @Test
  void source_isReadyWhenLoaded() {
    Fixtures.unpack("disordered", a);
    AtomicLong nowMs = new AtomicLong(5_000);
    ArchiveSource source =
        ArchiveSource.open(
            "old", ArchiveOptions.of(List.of(a)), () -> Instant.ofEpochMilli(nowMs.get()));
    AtomicInteger loaded = new AtomicInteger();
    AtomicInteger finished = new AtomicInteger();

    assertThat(source.isReady()).isFalse();
    assertThat(failure(source::topics).reason()).isEqualTo(ErrorReason.NOT_READY);
    assertThat(failure(() -> source.snapshot(new TopicPartition("jitter", 0))).reason())
        .isEqualTo(ErrorReason.NOT_READY);
    Archives.load(
        source,
        new ArchiveProgress() {
          @Override
          public void loaded(TopicPartition partition, int loadedCount, int partitionCount) {
            loaded.incrementAndGet();
          }

          @Override
          public void finished(String name, int partitionCount, long tookMs) {
            finished.set(partitionCount);
          }
        });

    nowMs.set(12_000);
    assertThat(source.isReady()).isTrue();
    assertThat(source.name()).isEqualTo("old");
    assertThat(source.stalenessMs()).isEqualTo(7_000);
    assertThat(loaded).hasValue(4);
    assertThat(finished).hasValue(4);
    assertThatThrownBy(() -> source.load(Runnable::run, ArchiveProgress.NOOP))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void load_executorThatRefuses_failsTheStage() {
    Fixtures.unpack("disordered", a);
    ArchiveSource source = ArchiveSource.open("old", ArchiveOptions.of(List.of(a)), Archives.CLOCK);

    var stage =
        source.load(
            task -> {
              throw new RejectedExecutionException("full");
            },
            ArchiveProgress.NOOP);

    assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
    assertThat(source.isReady()).isFalse();
  }

  private static WhenceException failure(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(WhenceException.class);
    return (WhenceException) thrown;
  }
}
