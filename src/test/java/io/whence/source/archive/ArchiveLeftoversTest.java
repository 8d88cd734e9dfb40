package io.whence.source.archive;

import static io.whence.testkit.BatchBuilder.batch;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.CleanShutdownMarker;
import io.whence.log.LogSnapshot;
import io.whence.log.OffsetCheckpoint;
import io.whence.model.IsolationLevel;
import io.whence.model.Position.AtOrAfter;
import io.whence.model.Position.AtOrBefore;
import io.whence.model.TopicPartition;
import io.whence.testkit.BruteForce;
import io.whence.testkit.Fixtures;
import io.whence.testkit.OracleRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files beside the segments, and segments of unusual shape, change no answer. */
class ArchiveLeftoversTest {
  private static final String FIRST = "00000000000000000000";
  private static final String SECOND = "00000000000000000088";

  @TempDir private Path archive;

  @Test
  void deletedFilesAndLock_areIgnored() throws IOException {
    Path partition = disordered();
    Files.writeString(partition.resolve(FIRST + ".log.deleted"), "old");
    Files.writeString(partition.resolve("00000000000000009999.log.deleted"), "old");
    Files.writeString(partition.resolve("00000000000000009999.index.deleted"), "old");
    Files.writeString(partition.resolve("00000000000000000000.log.tmp"), "old");
    Files.writeString(archive.resolve(".lock"), "");

    assertAnswersUnchanged();
  }

  @Test
  void finishedSwap_takesThePlaceOfWhatItCovers() throws IOException {
    Path partition = disordered();
    mergeFirstTwo(partition, ".log.swap");
    Files.writeString(partition.resolve(FIRST + ".log"), "noise in the place of the first");
    Files.writeString(partition.resolve(SECOND + ".log"), "and of the second");

    assertAnswersUnchanged();
  }

  @Test
  void swapOfUnfinishedCleaning_isIgnored() throws IOException {
    Path partition = disordered();
    Files.writeString(partition.resolve(FIRST + ".log.swap"), "not to be used");
    Files.writeString(partition.resolve(FIRST + ".timeindex.cleaned"), "");

    assertAnswersUnchanged();
  }

  @Test
  void swapBelowUnfinishedCleaning_counts() throws IOException {
    Path partition = disordered();
    mergeFirstTwo(partition, ".log.swap");
    Files.writeString(partition.resolve(FIRST + ".log"), "noise");
    Files.writeString(partition.resolve("00000000000000000183.log.cleaned"), "unfinished");

    assertAnswersUnchanged();
  }

  @Test
  void fileTimesAtRandom_changeNothing() throws IOException {
    for (String fixture : List.of("ordered-plain", "no-timestamp-mtime")) {
      Path directory = Fixtures.unpack(fixture, archive.resolve(fixture));
      Random random = new Random(29);
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          long timeMs = Math.floorMod(random.nextLong(), 4_000_000_000_000L);
          Files.setLastModifiedTime(file, FileTime.fromMillis(timeMs));
        }
      }

      Archives.assertAnswersOf(fixture, Archives.load(directory), random);
    }
  }

  @Test
  void emptyActiveSegment_isNoObstacle() throws IOException {
    Path partition = log("case23-0");
    write(partition, 0, batch(0).record(10).record(20).build());
    write(partition, 2);

    LogComparison comparison = comparison("case23", 2, data(10, 20));

    assertThat(position(comparison, 15)).isEqualTo(1);
    assertThat(position(comparison, 5)).isZero();
    compareAll(comparison, 0, 25);
    assertThat(comparison.log().segments()).hasSize(2);
  }

  @Test
  void emptyLog_isEmpty() throws IOException {
    write(log("empty-0"), 0);
    log("nothing-0");

    compareAll(comparison("empty", 0, List.of()), 0, 3);
    compareAll(comparison("nothing", 0, List.of()), 0, 3);
  }

  @Test
  void targetBetweenSegments_isInTheNextOne() throws IOException {
    Path partition = log("case22-0");
    write(partition, 0, batch(0).record(0).record(10).build());
    write(partition, 2, batch(2).record(40).record(50).build());

    LogComparison comparison = comparison("case22", 4, data(0, 10, 40, 50));

    assertThat(position(comparison, 25)).isEqualTo(2);
    compareAll(comparison, 0, 55);
  }

  @Test
  void offsetsBetweenSegments_mayBeMissing() throws IOException {
    Path partition = log("gap-0");
    write(partition, 5, batch(5).record(10).record(20).build(), batch(9).record(15).build());
    write(partition, 100, batch(120).record(40).record(30).build());
    write(partition, 500);
    List<OracleRecord> records =
        List.of(
            OracleRecord.data(5, 10),
            OracleRecord.data(6, 20),
            OracleRecord.data(9, 15),
            OracleRecord.data(120, 40),
            OracleRecord.data(121, 30));
    LogSnapshot log = Archives.load(archive).snapshot(new TopicPartition("gap", 0));

    LogComparison comparison = new LogComparison("gap", log, new BruteForce(records, 5, 500, 500));

    assertThat(log.damages()).isEmpty();
    compareAll(comparison, 5, 45);
    comparison.offsets(1);
  }

  private Path disordered() {
    return Fixtures.unpack("disordered", archive).resolve("jitter-0");
  }

  private void assertAnswersUnchanged() {
    ArchiveSource source = Archives.load(archive);
    assertThat(Archives.assertAnswersOf("disordered", source, new Random(3))).isPositive();
    assertThat(source.warnings()).isEmpty();
  }

  private static void mergeFirstTwo(Path partition, String suffix) throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write(Files.readAllBytes(partition.resolve(FIRST + ".log")));
    both.write(Files.readAllBytes(partition.resolve(SECOND + ".log")));
    Files.write(partition.resolve(FIRST + suffix), both.toByteArray());
  }

  /** Makes the directory of a partition in a cleanly closed archive without checkpoints. */
  private Path log(String name) throws IOException {
    new CleanShutdownMarker(archive).write();
    Files.deleteIfExists(archive.resolve(OffsetCheckpoint.RECOVERY_POINT));
    return Files.createDirectory(archive.resolve(name));
  }

  private static void write(Path partition, long baseOffset, byte[]... batches) throws IOException {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    for (byte[] batch : batches) {
      log.write(batch);
    }
    Files.write(partition.resolve("%020d.log".formatted(baseOffset)), log.toByteArray());
  }

  private static List<OracleRecord> data(long... timestampsMs) {
    return IntStream.range(0, timestampsMs.length)
        .mapToObj(offset -> OracleRecord.data(offset, timestampsMs[offset]))
        .toList();
  }

  private LogComparison comparison(String topic, long end, List<OracleRecord> records) {
    LogSnapshot log = Archives.load(archive).snapshot(new TopicPartition(topic, 0));
    return new LogComparison(topic, log, new BruteForce(records, 0, end, end));
  }

  private static long position(LogComparison comparison, long targetMs) {
    return comparison.position(new AtOrAfter(targetMs), IsolationLevel.READ_UNCOMMITTED).offset();
  }

  private static void compareAll(LogComparison comparison, long fromMs, long toMs) {
    comparison.named();
    for (long targetMs = fromMs - 1; targetMs <= toMs; targetMs++) {
      comparison.position(new AtOrAfter(targetMs), IsolationLevel.READ_UNCOMMITTED);
      comparison.position(new AtOrBefore(targetMs), IsolationLevel.READ_COMMITTED);
    }
  }
}
