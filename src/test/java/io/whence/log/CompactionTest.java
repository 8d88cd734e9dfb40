package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactionTest {
  @TempDir private Path directory;

  private CompactedLog open(Object... settings) {
    Object[] all = Stream.concat(Stream.of("segment.bytes", 1024), Stream.of(settings)).toArray();
    return new CompactedLog(directory, new Random(5), all);
  }

  @Test
  void emptyLogAndOnlyAnActiveSegment_areLeftAlone() {
    try (CompactedLog log = open()) {
      assertThat(log.compact(offset -> false)).isZero();
      log.appendRandom(1);
      assertThat(log.compact(offset -> false)).isZero();
      log.assertExact();
    }
  }

  @Test
  void nothingKept_leavesOneSmallSegmentThatKeepsStartAndEnd() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      long active = last(log.owned.baseOffsets());

      assertThat(log.compact(offset -> false)).isEqualTo(active);

      log.assertExact();
      assertThat(log.owned.baseOffsets()).containsExactly(0L, active);
      assertThat(Files.size(log.owned.file(0, ".log"))).isEqualTo(61);
      assertThat(log.owned.snapshot().logStartOffset()).isZero();
      Files.delete(log.owned.file(0, ".blockindex"));
      log.owned.load();
      log.assertExact();
      assertThat(log.owned.snapshot().logStartOffset()).isZero();
      assertThat(log.owned.warnings).isEmpty();
    }
  }

  @Test
  void batchesThatAreKeptWhole_areTheSameBytes() throws IOException {
    try (CompactedLog log = open("index.interval.bytes", 0)) {
      log.appendRandom(30);
      log.compact(offset -> true);
      byte[] before = Files.readAllBytes(log.owned.file(0, ".log"));
      log.appendRandom(30);

      log.compact(offset -> offset >= 2);

      byte[] after = Files.readAllBytes(log.owned.file(0, ".log"));
      int tail = Math.min(before.length, after.length) / 2;
      byte[] rest = new byte[tail];
      System.arraycopy(before, before.length - tail, rest, 0, tail);
      assertThat(after).containsSubsequence(rest);
      log.assertExact();
    }
  }

  @Test
  void nothingToDropNorMerge_rewritesNothing() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      log.compact(offset -> offset % 3 == 0);
      log.compact(offset -> true);
      Object file = Files.readAttributes(log.owned.file(0, ".log"), "*").get("fileKey");
      int deletions = log.owned.deletions.size();

      assertThat(log.compact(offset -> true)).isZero();

      assertThat(log.owned.deletions).hasSize(deletions);
      assertThat(Files.readAttributes(log.owned.file(0, ".log"), "*").get("fileKey"))
          .isEqualTo(file);
    }
  }

  @Test
  void smallResults_areMergedUpToTheSizeOfASegment() {
    try (CompactedLog log = open()) {
      log.appendRandom(200);
      int before = log.owned.baseOffsets().size();

      log.compact(offset -> offset % 20 == 0);
      log.compact(offset -> true);

      List<SegmentInfo> segments = log.owned.snapshot().segments();
      assertThat(segments.size()).isLessThan(before / 3);
      for (int i = 0; i + 2 < segments.size(); i++) {
        assertThat(segments.get(i).sizeBytes()).isLessThanOrEqualTo(1024);
        assertThat(segments.get(i).nextOffset()).isEqualTo(segments.get(i + 1).baseOffset());
        assertThat(segments.get(i).sizeBytes() + segments.get(i + 1).sizeBytes())
            .isGreaterThan(1024 - 61);
      }
      log.assertExact();
    }
  }

  @Test
  void indexesAreWritten_andTheNextStartReadsNoLog() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      log.compact(offset -> offset % 2 == 0);
      for (long base : log.owned.baseOffsets().subList(0, log.owned.baseOffsets().size() - 1)) {
        assertThat(log.owned.file(base, ".index")).exists();
        assertThat(log.owned.file(base, ".timeindex")).exists();
        assertThat(log.owned.file(base, ".blockindex")).exists();
      }
      log.owned.close();
      log.owned.disk.resetReadBytes();
      log.owned.load();
      // The header of the last block of each segment, and the active segment at the most.
      assertThat(log.owned.disk.readBytes())
          .isLessThan(61L * log.owned.baseOffsets().size() + 1024);
      log.assertExact();
    }
  }

  @Test
  void olderSnapshot_readsOnUntilItsFilesGo() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      LogSnapshot old = log.owned.snapshot();
      Map<Long, String> before = new TreeMap<>(log.contents);

      log.compact(offset -> offset % 5 == 0);
      assertThat(CompactedLog.read(old)).isEqualTo(before);
      LogSnapshot between = log.owned.snapshot();
      Map<Long, String> kept = new TreeMap<>(log.contents);
      // The same names again, while what was replaced first waits for its readers.
      log.compact(offset -> offset % 10 == 0);

      assertThat(CompactedLog.read(old)).isEqualTo(before);
      assertThat(CompactedLog.read(between)).isEqualTo(kept);
      log.assertExact();
      for (LogEnvironment.Deletion deletion : log.owned.deletions) {
        deletion.run();
      }
      assertThat(leftovers()).isEmpty();
      log.assertExact();
      log.owned.load();
      log.assertExact();
    }
  }

  @Test
  void trimmedMeanwhile_leavesWhatIsThere() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      long third = log.owned.baseOffsets().get(2);

      log.owned
          .log()
          .compact(
              (batch, record) -> {
                if (record.offset() == third) {
                  log.owned.trim(third);
                }
                return false;
              });

      assertThat(leftovers().stream().filter(name -> !name.endsWith(".deleted"))).isEmpty();
      assertThat(log.owned.snapshot().logStartOffset()).isEqualTo(third);
      assertThat(CompactedLog.read(log.owned.snapshot()))
          .containsAllEntriesOf(log.contents.tailMap(last(log.owned.baseOffsets())));
      log.owned.load();
      assertThat(log.owned.snapshot().damages()).isEmpty();
    }
  }

  @Test
  void diskFailsWhileWriting_leavesTheLogAsItWas() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      for (Runnable fault :
          List.<Runnable>of(
              () -> log.owned.disk.failWrite(FaultyDisk.FULL),
              () -> log.owned.disk.failForce("Input/output error"))) {
        fault.run();

        assertThatThrownBy(() -> log.owned.log().compact((batch, record) -> false))
            .isInstanceOf(IOException.class);

        assertThat(leftovers()).isEmpty();
        log.assertExact();
      }
      log.compact(offset -> offset % 4 == 0);
      log.owned.load();
      log.assertExact();
    }
  }

  @Test
  void commitFails_leavesTheLogAsItWas() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      Path inTheWay = Files.createDirectory(log.owned.file(0, ".log.swap"));

      assertThatThrownBy(() -> log.owned.log().compact((batch, record) -> false))
          .isInstanceOf(IOException.class);

      Files.delete(inTheWay);
      assertThat(leftovers()).isEmpty();
      log.assertExact();
      log.compact(offset -> offset % 4 == 0);
      log.owned.load();
      log.assertExact();
    }
  }

  @Test
  void failsBehindTheCommit_isFinishedByTheNextStart() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      Path inTheWay = log.owned.file(0, ".timeindex");
      Files.delete(inTheWay);
      Files.createDirectory(inTheWay);
      Files.createFile(inTheWay.resolve("file"));

      log.compact(offset -> offset % 4 == 0);

      assertThat(log.owned.warnings).isNotEmpty().allMatch(text -> text.contains("compaction"));
      log.assertExact();
      assertThatThrownBy(() -> log.owned.log().compact((batch, record) -> false))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("next start");
      Files.delete(inTheWay.resolve("file"));
      Files.delete(inTheWay);
      log.owned.load();
      log.assertExact();
      assertThat(leftovers()).isEmpty();
      log.compact(offset -> offset % 8 == 0);
      log.assertExact();
    }
  }

  @Test
  void keeperFails_leavesTheLogAsItWas() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(20);
      assertThatThrownBy(
              () ->
                  log.owned
                      .log()
                      .compact(
                          (batch, record) -> {
                            throw new IllegalStateException("of the keeper");
                          }))
          .hasMessage("of the keeper");
      assertThat(leftovers()).isEmpty();
      log.assertExact();
    }
  }

  @Test
  void closedMeanwhile_endsAndLeavesNothingBehind() throws IOException {
    CompactedLog log = open();
    log.appendRandom(60);

    WhenceException failure =
        catchThrowableOfType(
            WhenceException.class,
            () ->
                log.owned
                    .log()
                    .compact(
                        (batch, record) -> {
                          log.owned.close();
                          return false;
                        }));

    assertThat(failure.reason()).isEqualTo(ErrorReason.DRAINING);
    assertThatThrownBy(() -> log.owned.log().compact((batch, record) -> false))
        .isInstanceOf(WhenceException.class);
    assertThat(leftovers()).isEmpty();
    log.owned.load();
    log.assertExact();
    log.close();
  }

  @Test
  void damage_keepsWhatIsBehindIt() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(100);
      List<Long> bases = log.owned.baseOffsets();
      log.owned.close();
      flip(bases.get(3));
      Files.delete(log.owned.file(bases.get(3), ".blockindex"));
      log.owned.recoveryPoint = last(bases);
      log.owned.load();

      log.owned.log().compact((batch, record) -> false);

      assertThat(log.owned.baseOffsets())
          .startsWith(0L, bases.get(3), bases.get(4))
          .endsWith(last(bases));
      log.owned.load();
      assertThat(log.owned.snapshot().damages()).hasSize(1);
    }
  }

  @Test
  void damageThatWasNotKnown_isFoundAndHarmsNothing() throws IOException {
    try (CompactedLog log = open()) {
      log.appendRandom(60);
      List<Long> bases = log.owned.baseOffsets();
      flip(bases.get(1));

      WhenceException failure =
          catchThrowableOfType(
              WhenceException.class, () -> log.owned.log().compact((batch, record) -> false));

      assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
      assertThat(failure.metadata())
          .containsEntry("path", log.owned.file(bases.get(1), ".log").toString());
      assertThat(leftovers()).isEmpty();
      assertThat(log.owned.baseOffsets()).isEqualTo(bases);
    }
  }

  private void flip(long baseOffset) throws IOException {
    Path path = SegmentNames.path(directory, baseOffset, ".log");
    byte[] log = Files.readAllBytes(path);
    log[log.length / 2] ^= 1;
    Files.write(path, log);
  }

  private List<String> leftovers() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches(".*(cleaned|swap|deleted)"))
          .toList();
    }
  }

  private static long last(List<Long> offsets) {
    return offsets.get(offsets.size() - 1);
  }
}
