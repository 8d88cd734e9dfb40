package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.OracleRecord;
import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimelineFileTest {
  @TempDir Path directory;

  /** Opens a log of several segments whose files no crash can have harmed. */
  private OwnedLog open() {
    OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 2048, "index.interval.bytes", 100);
    Random random = new Random(5);
    for (int i = 0; i < 60; i++) {
      owned.append(random.nextInt(500), random.nextInt(500));
    }
    owned.recoveryPoint = owned.snapshot().highWatermark();
    return owned.reopen();
  }

  @Test
  void sealedSegments_reopened_readTheirTimelinesAndNoBlocks() throws IOException {
    try (OwnedLog owned = open()) {
      owned.disk.resetReadBytes();
      owned.reopen();

      int segments = owned.baseOffsets().size();
      assertThat(segments).isGreaterThan(3);
      assertThat(owned.disk.readBytes()).as("headers alone").isLessThanOrEqualTo(segments * 61L);
      assertThat(owned.snapshot().views()).allMatch(view -> view.timeline().isPresent());
      assertThat(owned.memory.blocks().heldBytes()).as("blocks that were read").isZero();
      owned.assertExact();
    }
  }

  @Test
  void file_damagedInAnyWay_neverChangesAnAnswer() throws IOException {
    try (OwnedLog owned = open()) {
      Path file = owned.file(0, ".timeline");
      byte[] right = Files.readAllBytes(file);
      byte[] other = Files.readAllBytes(owned.file(owned.baseOffsets().get(1), ".timeline"));
      LogSnapshot expected = owned.snapshot();
      byte[] timeline = bytesOf(expected.views().get(0).timeline().orElseThrow());
      for (byte[] wrong : wrongOnes(right, other)) {
        owned.close();
        Files.write(file, wrong);
        owned.load();

        assertSameSummaries(owned.snapshot(), expected);
        owned
            .snapshot()
            .views()
            .get(0)
            .timeline()
            .ifPresent(known -> assertThat(bytesOf(known)).isEqualTo(timeline));
        assertThat(bytesOf(filesOf(owned).readTimeline())).isEqualTo(timeline);
        assertThat(Files.readAllBytes(file)).isEqualTo(right);
      }
      owned.assertExact();
    }
  }

  private static IndexFiles filesOf(OwnedLog owned) {
    return ((StoredBlocks) owned.snapshot().views().get(0).index().blocks()).files();
  }

  private static byte[] bytesOf(SegmentTimeline timeline) {
    byte[] bytes = new byte[(int) timeline.writtenBytes()];
    timeline.writeTo(ByteBuffer.wrap(bytes));
    return bytes;
  }

  private static void assertSameSummaries(LogSnapshot log, LogSnapshot expected) {
    assertThat(log.segments())
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("preloaded", "timelineBytes")
        .isEqualTo(expected.segments());
    assertThat(log.damages()).isEmpty();
  }

  private static List<byte[]> wrongOnes(byte[] right, byte[] other) {
    List<byte[]> wrong = new ArrayList<>(List.of(new byte[0], other));
    wrong.add(Arrays.copyOf(right, right.length - 1));
    wrong.add(Arrays.copyOf(right, 100));
    for (int i = 0; i < right.length; i += 5) {
      byte[] flipped = right.clone();
      flipped[i] ^= 1 << (i % 8);
      wrong.add(flipped);
    }
    return wrong;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void directory_ofAnEarlierVersion_upgradesWithoutReadingItsSealedLogs(boolean crashed)
      throws IOException {
    try (OwnedLog owned = open()) {
      if (!crashed) {
        owned.close();
      }
      for (long base : owned.baseOffsets()) {
        Files.deleteIfExists(owned.file(base, ".timeline"));
      }
      long activeBytes = last(owned.snapshot().segments()).sizeBytes();
      owned.disk.resetReadBytes();
      owned.load();

      assertThat(owned.disk.readBytes())
          .isLessThanOrEqualTo(2 * activeBytes + 61L * owned.baseOffsets().size());
      owned.assertExact();
      filesOf(owned).readTimeline();
      assertThat(owned.file(0, ".timeline")).exists();
      owned.reopen().assertExact();
      assertThat(owned.snapshot().views().get(0).timeline()).isPresent();
    }
  }

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"older", "missing", "damaged"})
  void activeSegment_timelineBehindItsBlocks_isCaughtUp(String kind) throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory, "index.interval.bytes", 100)) {
      owned.checkpointBytes = 500;
      owned.load();
      Random random = new Random(8);
      for (int i = 0; i < 20; i++) {
        owned.append(random.nextInt(500), random.nextInt(500));
      }
      Path timeline = owned.file(0, ".timeline");
      Path older = directory.resolve("older");
      Files.copy(timeline, older);
      for (int i = 0; i < 20; i++) {
        owned.append(random.nextInt(500), random.nextInt(500));
      }
      switch (kind) {
        case "older" -> Files.copy(older, timeline, StandardCopyOption.REPLACE_EXISTING);
        case "missing" -> Files.delete(timeline);
        default -> Files.write(timeline, Arrays.copyOf(Files.readAllBytes(timeline), 300));
      }
      Files.delete(older);
      owned.load();

      assertThat(owned.snapshot().views().get(0).timeline()).isPresent();
      owned.assertExact();
      owned.append(3, 2, 1);
      owned.reopen().assertExact();
    }
  }

  @Test
  void activeSegment_damagedWhereOnlyTheTimelineIsMissing_isReported() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      for (int i = 0; i < 20; i++) {
        owned.append(1000 + i);
      }
      owned.recoveryPoint = 20;
      owned.close();
      Files.delete(owned.file(0, ".timeline"));
      byte[] log = Files.readAllBytes(owned.file(0, ".log"));
      log[log.length / 2] ^= 1;
      Files.write(owned.file(0, ".log"), log);
      owned.load();

      assertThat(owned.snapshot().damages()).hasSize(1);
    }
  }

  @Test
  void sealedSegment_blockIndexMissing_isReadAgain() throws IOException {
    try (OwnedLog owned = open()) {
      owned.close();
      Files.delete(owned.file(0, ".blockindex"));
      owned.load();

      assertThat(owned.file(0, ".blockindex")).exists();
      owned.assertExact();
    }
  }

  @Test
  void files_ofOtherSegmentsAndLogs_areNotTaken(@TempDir Path elsewhere) throws IOException {
    try (OwnedLog owned = open();
        OwnedLog other =
            OwnedLog.open(elsewhere, "segment.bytes", 2048, "index.interval.bytes", 100)) {
      while (other.baseOffsets().size() < 3) {
        other.append(7, 7, 7);
      }
      owned.close();
      for (String suffix : List.of(".timeline", ".blockindex")) {
        Files.copy(
            other.file(0, suffix), owned.file(0, suffix), StandardCopyOption.REPLACE_EXISTING);
      }
      List<OracleRecord> records = List.copyOf(owned.records);
      owned.load();

      OwnedLog.assertExact(owned.snapshot(), records);
      owned.reopen().assertExact();
    }
  }

  @Test
  void activeSegment_logStartLostInACrash_isAnsweredFromTheStart() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(9, 1, 5);
      owned.append(3, 7);
      owned.append(2, 8);
      owned.trim(4);
      owned.close();
      assertThat(owned.file(0, ".timeline")).exists();
      owned.storedStart = 0;
      owned.load().assertExact();

      owned.trim(2);
      owned.reopen().assertExact();
      owned.append(4, 4);
      owned.reopen().assertExact();
    }
  }

  @Test
  void file_withTheTimelineOfOtherRecords_isNotTaken() throws IOException {
    try (OwnedLog owned = open()) {
      SegmentView view = owned.snapshot().views().get(0);
      byte[] right = bytesOf(view.timeline().orElseThrow());
      TimelineFile file = TimelineFile.ofOwn(directory, 0, 100);
      BlocksSummary blocks = file.read(summary -> false).orElseThrow().summary().blocks();
      SegmentTimeline other = owned.snapshot().views().get(1).timeline().orElseThrow();
      for (SegmentTimeline wrong : List.of(SegmentTimeline.EMPTY, other)) {
        file.write(view.index(), blocks, wrong, 0);

        assertThat(file.read(summary -> true).orElseThrow().timeline()).isEmpty();
        assertThat(bytesOf(filesOf(owned).readTimeline())).isEqualTo(right);
      }
    }
  }

  @Test
  void read_summaryAlone_leavesTheTimelineOut() throws IOException {
    try (OwnedLog owned = open()) {
      TimelineFile file = TimelineFile.ofOwn(directory, 0, 100);
      List<Long> asked = new ArrayList<>();

      TimelineFile.Contents contents =
          file.read(
                  summary -> {
                    asked.add(summary.memoryBytes());
                    return false;
                  })
              .orElseThrow();

      assertThat(contents.timeline()).isEmpty();
      SegmentView view = owned.snapshot().views().get(0);
      assertThat(asked).containsExactly(view.slot().sizeInBytes());
      assertThat(contents.summary().index().isAbout(view.index())).isTrue();
      assertThat(contents.summary().blocks().count()).isEqualTo(view.index().blocks().blockCount());
    }
  }
}
