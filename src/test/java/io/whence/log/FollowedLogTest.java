package io.whence.log;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.BatchBuilder;
import io.whence.timeline.TimelineHit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedLogTest {
  private static final FollowedEnds NOTHING_OPEN = new FollowedEnds(0, 100, 100);

  @TempDir private Path directory;

  private static byte[] batch(long baseOffset, long... timestampsMs) {
    return BatchBuilder.batch(baseOffset).records(timestampsMs).build();
  }

  private static byte[] transactional(long baseOffset, long producer, long... timestampsMs) {
    return BatchBuilder.batch(baseOffset)
        .producer(producer, 0)
        .transactional()
        .records(timestampsMs)
        .build();
  }

  @Test
  void batches_appended_positionAndEpochFollow() throws IOException {
    try (Follower follower = Follower.open(directory, 3)) {
      assertThat(follower.log().position())
          .isEqualTo(new FollowPosition(3, FollowPosition.NO_EPOCH));

      follower.append(BatchBuilder.batch(3).leaderEpoch(4).records(10, 20).build());

      assertThat(follower.log().position()).isEqualTo(new FollowPosition(5, 4));
      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(3L, 4L);
      assertThat(follower.offsets(READ_COMMITTED)).containsExactly(3L, 4L);
      assertThat(follower.reopen().log().position()).isEqualTo(new FollowPosition(5, 4));
    }
  }

  @Test
  void firstBatchBeginsBelow_recordsBelowLeftOut() throws IOException {
    try (Follower follower = Follower.open(directory, 5)) {
      follower.append(batch(3, 10, 20, 30, 40));

      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(5L, 6L);
      assertThat(follower.reopen().offsets(READ_UNCOMMITTED)).containsExactly(5L, 6L);
    }
  }

  @Test
  void appendAfterClose_refused() throws IOException {
    Follower follower = Follower.open(directory, 0);
    follower.close();

    assertThatThrownBy(() -> follower.append(batch(0, 1)))
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.DRAINING));
  }

  @Test
  void smallSegments_sealedAsKafkaHasThem_andReadAsArchive() throws IOException {
    try (Follower follower = Follower.open(directory, 0, "segment.bytes", 1024)) {
      List<Long> expected = new ArrayList<>();
      for (long offset = 0; offset < 300; offset += 3) {
        follower.append(batch(offset, offset, offset + 1, offset + 2));
        LongStream.range(offset, offset + 3).forEach(expected::add);
      }
      int segments = follower.log().snapshot().segments().size();
      assertThat(segments).isGreaterThan(5);

      follower.reopen();

      assertThat(follower.log().snapshot().segments()).hasSize(segments);
      assertThat(follower.offsets(READ_UNCOMMITTED)).isEqualTo(expected);
      for (SegmentInfo segment : follower.log().snapshot().segments()) {
        for (String suffix : LogSegment.INDEX_SUFFIXES) {
          assertThat(SegmentNames.path(directory, segment.baseOffset(), suffix)).exists();
        }
      }
      try (TestLogs.Loaded archive = TestLogs.loadArchive(directory, 0)) {
        assertThat(TestLogs.offsets(archive.log())).isEqualTo(expected);
      }
    }
  }

  @Test
  void closedAndOpened_readsLittleOfTheLog() throws IOException {
    try (Follower follower = Follower.open(directory, 0, "segment.bytes", 100_000)) {
      for (int offset = 0; offset < 30_000; offset += 10) {
        follower.append(batch(offset, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
      }
      long sizeBytes = follower.log().snapshot().sizeBytes();
      follower.log().close();
      follower.disk.resetReadBytes();

      follower.reopen();

      assertThat(sizeBytes).isGreaterThan(300_000);
      assertThat(follower.disk.readBytes()).isLessThan(10_000);
      assertThat(follower.position()).isEqualTo(30_000);
    }
  }

  @Test
  void abortedTransactions_closedAndOpened_readLittleOfTheLog() throws IOException {
    try (Follower follower = Follower.open(directory, 0, "segment.bytes", 20_000)) {
      for (int offset = 0; offset < 22_000; offset += 11) {
        byte[] marker =
            offset % 2 == 0
                ? BatchBuilder.abort(offset + 10, 7, 0, 9)
                : BatchBuilder.commit(offset + 10, 7, 0, 9);
        follower.append(transactional(offset, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), marker);
      }
      List<Long> committed = follower.offsets(READ_COMMITTED);
      long sizeBytes = follower.log().snapshot().sizeBytes();
      follower.log().close();
      follower.disk.resetReadBytes();

      follower.reopen();

      long lastBytes = 20_000;
      assertThat(sizeBytes).isGreaterThan(10 * lastBytes);
      assertThat(follower.disk.readBytes()).isLessThan(3 * lastBytes);
      assertThat(follower.log().snapshot().timelines(READ_COMMITTED)).isNotNull();
      assertThat(follower.offsets(READ_COMMITTED)).isEqualTo(committed).hasSize(10_000);
      follower.log().raiseStart(20_000);
      try (var files = Files.list(directory)) {
        assertThat(files.filter(file -> file.toString().endsWith(CommittedFile.SUFFIX)))
            .hasSizeLessThan(4);
      }
    }
  }

  @Test
  void gapBeyondRelativeOffsets_beginsSegmentThere() throws IOException {
    long far = 1L << 40;
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(far, 1)).append(batch(far + 1, 2)).append(batch(3 * far, 3));

      assertThat(follower.reopen().offsets(READ_UNCOMMITTED))
          .containsExactly(far, far + 1, 3 * far);
      assertThat(follower.log().firstOffset()).isZero();
    }
  }

  @Test
  void truncated_oldSnapshotStaysAsItWas() throws IOException {
    try (Follower follower = Follower.open(directory, 0, "segment.bytes", 1024)) {
      List<Long> all = new ArrayList<>();
      for (long offset = 0; offset < 200; offset += 2) {
        follower.append(batch(offset, 1, 2));
        all.addAll(List.of(offset, offset + 1));
      }
      LogSnapshot before = follower.log().snapshot();

      follower.log().truncateTo(31);
      follower.append(batch(40, 9));

      assertThat(follower.offsets(READ_UNCOMMITTED))
          .hasSize(31)
          .endsWith(28L, 29L, 40L)
          .doesNotContain(30L);
      assertThat(Follower.offsets(before, READ_UNCOMMITTED)).isEqualTo(all);
      for (LogEnvironment.Deletion deletion : follower.deletions) {
        deletion.run();
      }
      try (var files = Files.list(directory)) {
        assertThat(files.map(Path::toString)).noneMatch(name -> name.contains(".deleted"));
      }
    }
  }

  @Test
  void truncationThatFails_readAgainFromDisk() throws IOException {
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(0, 1, 2), batch(2, 3), batch(3, 4));
      Path copy = directory.resolve("00000000000000000000.log.cleaned");
      Files.createDirectories(copy.resolve("in the way"));

      assertThatThrownBy(() -> follower.log().truncateTo(3)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> follower.append(batch(4, 5))).isInstanceOf(IOException.class);
      Files.delete(copy.resolve("in the way"));
      follower.append(batch(4, 5));

      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(0L, 1L, 2L, 3L, 4L);
      follower.log().truncateTo(3);
      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void fullDisk_positionStays_goesOnWhenThereIsRoom() throws IOException {
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(0, 1, 2));
      follower.disk.failWrite(FaultyDisk.FULL);

      assertThatThrownBy(() -> follower.append(batch(2, 3))).isInstanceOf(IOException.class);

      assertThat(follower.position()).isEqualTo(2);
      assertThat(follower.append(batch(2, 4, 5)).reopen().offsets(READ_UNCOMMITTED))
          .containsExactly(0L, 1L, 2L, 3L);
    }
  }

  @Test
  void olderFormat_refused_whatCameBeforeStays() throws IOException {
    byte[] older = batch(1, 2);
    older[16] = 1;
    try (Follower follower = Follower.open(directory, 0)) {
      assertThatThrownBy(() -> follower.append(batch(0, 1), older))
          .isInstanceOfSatisfying(
              WhenceException.class,
              e -> assertThat(e.reason()).isEqualTo(ErrorReason.UNSUPPORTED_FORMAT));

      assertThat(follower.position()).isEqualTo(1);
      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(0L);
    }
  }

  @Test
  void leaderEpochs_endOfEach() throws IOException {
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(
          BatchBuilder.batch(0).leaderEpoch(2).records(1, 2, 3).build(),
          BatchBuilder.batch(3).leaderEpoch(2).record(4).build(),
          BatchBuilder.batch(4).leaderEpoch(5).record(5).build());

      for (int round = 0; round < 2; round++) {
        assertThat(follower.log().endOffset(1)).isZero();
        assertThat(follower.log().endOffset(2)).isEqualTo(4);
        assertThat(follower.log().endOffset(4)).isEqualTo(4);
        assertThat(follower.log().endOffset(5)).isEqualTo(5);
        assertThat(follower.log().endOffset(9)).isEqualTo(5);
        follower.reopen();
      }
      follower.log().truncateTo(4);
      assertThat(follower.log().endOffset(9)).isEqualTo(4);
      assertThat(follower.log().position()).isEqualTo(new FollowPosition(4, 2));
    }
  }

  @Test
  void watch_toldWhenItsTimeComes_andAgainAfterTruncation() throws IOException {
    List<String> told = new ArrayList<>();
    try (Follower follower = Follower.open(directory, 0)) {
      follower.log().watch(100, () -> told.add("told"));
      follower.append(batch(0, 50));
      assertThat(told).isEmpty();
      follower.append(batch(1, 100), batch(2, 60));
      assertThat(told).hasSize(1);
      follower.log().truncateTo(1);
      follower.append(batch(1, 70));
      assertThat(told).hasSize(1);
      follower.append(batch(2, 200));
      assertThat(told).hasSize(2);
    }
  }

  @Test
  void watchOfCommitted_toldWhenDecided() throws IOException {
    List<Long> told = new ArrayList<>();
    try (Follower follower = Follower.open(directory, 0)) {
      FollowedLog log = follower.log();
      log.watch(100, () -> told.add(log.snapshot().lastStableOffset()));
      follower.appendWith(0, transactional(0, 7, 100));
      follower.appendWith(0, BatchBuilder.commit(1, 7, 0, 1));
      assertThat(told).containsExactly(0L, 2L);
    }
  }

  @Test
  void watch_toldWhenDecidedByTheLeader_andWhenAbandoned() throws IOException {
    List<Long> told = new ArrayList<>();
    Follower follower = Follower.open(directory, 5);
    FollowedLog log = follower.log();
    log.watch(100, () -> told.add(log.snapshot().lastStableOffset()));
    follower.appendWith(4, batch(5, 100));
    log.confirm(new FollowedEnds(5, 6, 6));
    assertThat(told).containsExactly(5L, 6L);

    log.abandon();

    assertThat(told).hasSize(3);
    assertThat(log.watchCount()).isEqualTo(1);
    assertThatThrownBy(() -> log.confirm(NOTHING_OPEN))
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.STALE_TOPIC));
  }

  @Test
  void raisedAboveTheEnd_goesOnEmptyThere() throws IOException {
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(0, 1, 2));

      follower.log().raiseStart(10);

      assertThat(follower.log().snapshot().bounds(READ_UNCOMMITTED).logStartOffset()).isEqualTo(10);
      assertThat(follower.log().position())
          .isEqualTo(new FollowPosition(10, FollowPosition.NO_EPOCH));
      assertThat(follower.reopen().log().firstOffset()).isEqualTo(10);
      assertThat(follower.append(batch(8, 1, 2, 3, 4)).offsets(READ_COMMITTED))
          .containsExactly(10L, 11L);
    }
  }

  @Test
  void headLoadedAgain_isCutWhereTheLogBegins() throws IOException {
    try (Follower follower = Follower.open(directory, 0, "segment.bytes", 1024)) {
      for (long offset = 0; offset < 100; offset++) {
        follower.append(batch(offset, 1_000 - offset));
      }
      follower.log().snapshot().segment(0).slot().drop();
      follower.log().raiseStart(5);
      SegmentView head = follower.log().snapshot().segment(0);
      TimelineHit hit = new TimelineHit();
      assertThat(follower.log().snapshot().timelines(READ_COMMITTED).firstAtOrAfter(900, hit))
          .isEqualTo(TimelineSearch.Result.NOT_LOADED);
      StoredBlocks stored = (StoredBlocks) head.index().blocks();
      head.slot().set(Optional.of(stored.files().readTimeline()));

      follower.log().cutLoadedHead();

      assertThat(follower.log().snapshot().timelines(READ_COMMITTED).firstAtOrAfter(900, hit))
          .isEqualTo(TimelineSearch.Result.FOUND);
      assertThat(hit.offset()).isEqualTo(5);
    }
  }

  @Test
  void missingSegmentInTheMiddle_cutThere() throws IOException {
    try (Follower follower = Follower.open(directory, 0, "segment.bytes", 1024)) {
      for (long offset = 0; offset < 100; offset++) {
        follower.append(batch(offset, offset));
      }
      long second = follower.log().snapshot().segments().get(1).baseOffset();
      follower.log().close();
      Files.delete(SegmentNames.path(directory, second, SegmentNames.LOG));

      follower.reopen();

      assertThat(follower.position()).isEqualTo(second);
      assertThat(follower.warnings).isNotEmpty();
      follower.append(batch(second, 1));
      assertThat(follower.offsets(READ_UNCOMMITTED)).hasSize((int) second + 1);
    }
  }

  @Test
  void lostState_followedFromTheBeginning() throws IOException {
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(0, 1, 2)).log().close();
      Files.write(directory.resolve(FollowedState.FILE_NAME), ByteBuffer.allocate(9).array());

      follower.reopen();

      assertThat(follower.position()).isZero();
      assertThat(follower.append(batch(0, 1, 2)).reopen().offsets(READ_UNCOMMITTED))
          .containsExactly(0L, 1L);
    }
  }
}
