package io.whence.log;

import static io.whence.model.IsolationLevel.READ_COMMITTED;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.WhenceException;
import io.whence.record.BatchFormat;
import io.whence.record.RecordBatch;
import io.whence.testkit.BatchBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a leader has that can't be read, and transactions whose end can't be told. */
class FollowedDamageTest {
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

  private static byte[] flipped(byte[] batch, int position) {
    byte[] bytes = batch.clone();
    bytes[position] ^= 4;
    return bytes;
  }

  private static List<OffsetRange> damage(Follower follower) {
    return follower.log().snapshot().damages().stream().map(Damage::range).toList();
  }

  private static List<OffsetRange> unknownFates(Follower follower) {
    LogSnapshot log = follower.log().snapshot();
    return log.firstDamage(0, Long.MAX_VALUE - 1, READ_COMMITTED).stream()
        .map(Damage::range)
        .toList();
  }

  private static void assertDamaged(Follower follower, long offset) {
    assertThatThrownBy(
            () -> follower.log().snapshot().requireReadable(offset, offset + 1, READ_UNCOMMITTED))
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.DAMAGED_LOG))
        .hasMessageContaining("t-0, as fetched");
  }

  @Test
  void poisonBatch_damageOverItsOffsets_goesOnBehind() throws IOException {
    byte[] poison = flipped(batch(2, 3, 4), BatchFormat.RECORDS + 3);
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(0, 1, 2), poison, batch(4, 5));

      for (int round = 0; round < 2; round++) {
        assertThat(damage(follower)).containsExactly(new OffsetRange(2, 4));
        assertThat(follower.position()).isEqualTo(5);
        assertThat(follower.log().snapshot().highWatermark()).isEqualTo(5);
        assertDamaged(follower, 3);
        follower.log().snapshot().requireReadable(0, 2, READ_UNCOMMITTED);
        follower.log().snapshot().requireReadable(4, 5, READ_COMMITTED);
        follower.reopen();
      }
      follower.log().raiseStart(4);
      assertThat(damage(follower)).isEmpty();
      assertThat(follower.offsets(READ_UNCOMMITTED)).containsExactly(4L);
    }
  }

  @Test
  void poisonAtTheEnd_positionAndEpochBehindIt_alsoAfterRestart() throws IOException {
    byte[] poison = BatchBuilder.batch(2).leaderEpoch(3).records(3, 4).build();
    try (Follower follower = Follower.open(directory, 0, "segment.bytes", 1024)) {
      follower.append(batch(0, 1, 2), flipped(poison, BatchFormat.RECORDS + 2));

      for (int round = 0; round < 2; round++) {
        assertThat(follower.log().position()).isEqualTo(new FollowPosition(4, 3));
        assertThat(follower.log().snapshot().highWatermark()).isEqualTo(4);
        assertThat(follower.log().endOffset(2)).isEqualTo(2);
        follower.reopen();
      }
      follower.append(batch(4, 5));
      assertThat(damage(follower)).containsExactly(new OffsetRange(2, 4));
      follower.log().truncateTo(3);
      assertThat(damage(follower)).isEmpty();
      assertThat(follower.log().position()).isEqualTo(new FollowPosition(2, 0));
    }
  }

  @Test
  void rightChecksumOverWrongRecords_damage() throws IOException {
    byte[] wrong = batch(1, 2, 3);
    wrong[BatchFormat.RECORDS] = 127;
    ByteBuffer bytes = ByteBuffer.wrap(wrong);
    bytes.putInt(BatchFormat.CRC, new RecordBatch().wrap(bytes, 0).computeCrc());
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(0, 1), wrong, batch(3, 4));

      assertThat(damage(follower)).containsExactly(new OffsetRange(1, 3));
      assertThat(follower.position()).isEqualTo(4);
    }
  }

  @Test
  void wrongOffsetsInHeader_damageUpToTheNextBatch() throws IOException {
    byte[] far = flipped(batch(1, 2, 3), 1);
    byte[] backwards = batch(4, 5, 6);
    ByteBuffer.wrap(backwards).putInt(BatchFormat.LAST_OFFSET_DELTA, -9);
    try (Follower follower = Follower.open(directory, 0)) {
      follower.append(batch(0, 1), far, batch(3, 4), backwards, batch(6, 7));

      assertThat(damage(follower)).containsExactly(new OffsetRange(1, 2), new OffsetRange(4, 5));
      assertThat(follower.position()).isEqualTo(7);
      follower.log().snapshot().requireReadable(3, 4, READ_UNCOMMITTED);
    }
  }

  @Test
  void startInTheMiddle_nothingCommittedBeforeTheLeaderSaysSo() throws IOException {
    try (Follower follower = Follower.open(directory, 10)) {
      follower.appendWith(4, batch(10, 1, 2));

      assertThat(follower.log().snapshot().lastStableOffset()).isEqualTo(10);
      assertThat(follower.log().snapshot().highWatermark()).isEqualTo(12);
      assertThat(follower.log().snapshot().timelines(READ_COMMITTED)).isNotNull();
      assertThat(follower.offsets(READ_COMMITTED)).isEmpty();
      assertThat(follower.reopen().offsets(READ_COMMITTED)).isEmpty();

      follower.log().confirm(new FollowedEnds(10, 12, 10));

      assertThat(follower.offsets(READ_COMMITTED)).containsExactly(10L, 11L);
      assertThat(follower.reopen().offsets(READ_COMMITTED)).containsExactly(10L, 11L);
    }
  }

  @Test
  void staleLastStableOffset_markersCount() throws IOException {
    try (Follower follower = Follower.open(directory, 0)) {
      follower.appendWith(0, transactional(0, 7, 1, 2));
      follower.appendWith(0, BatchBuilder.commit(2, 7, 1, 3));
      follower.appendWith(0, batch(3, 4));
      follower.log().confirm(new FollowedEnds(0, 4, 0));

      assertThat(follower.log().snapshot().lastStableOffset()).isEqualTo(4);
      assertThat(follower.offsets(READ_COMMITTED)).containsExactly(0L, 1L, 3L);
    }
  }

  @Test
  void markerThatWasRemoved_fateUnknown_othersGoOn() throws IOException {
    try (Follower follower = Follower.open(directory, 0)) {
      follower.appendWith(0, transactional(0, 7, 1, 2));
      follower.appendWith(0, batch(2, 3));
      assertThat(follower.log().snapshot().lastStableOffset()).isZero();

      // The marker at 3 was compacted away; the leader says that all is decided.
      follower.appendWith(5, batch(4, 5));
      follower.log().confirm(new FollowedEnds(0, 5, 5));
      assertThat(follower.log().snapshot().lastStableOffset()).isZero();
      follower.log().confirm(new FollowedEnds(0, 5, 5));

      assertThat(follower.log().snapshot().lastStableOffset()).isEqualTo(5);
      assertThat(unknownFates(follower)).containsExactly(new OffsetRange(0, 5));
      follower.log().snapshot().requireReadable(0, 5, READ_UNCOMMITTED);
      follower.appendWith(8, batch(6, 6, 7));
      follower.log().snapshot().requireReadable(7, 8, READ_COMMITTED);
      follower.reopen();
      assertThat(unknownFates(follower)).containsExactly(new OffsetRange(0, 5));
    }
  }

  @Test
  void damagedMarker_fateUnknownWhenTheProducerGoesOn() throws IOException {
    byte[] marker = flipped(BatchBuilder.commit(2, 7, 0, 3), BatchFormat.RECORDS + 2);
    try (Follower follower = Follower.open(directory, 0)) {
      follower.appendWith(0, transactional(0, 7, 1, 2), marker);
      follower.appendWith(3, transactional(3, 7, 4));
      follower.appendWith(3, BatchBuilder.abort(4, 7, 0, 5));

      assertThat(follower.log().snapshot().isWhole(READ_COMMITTED)).isFalse();
      assertThatThrownBy(() -> follower.log().snapshot().requireReadable(0, 2, READ_COMMITTED))
          .isInstanceOf(WhenceException.class);
      follower.log().snapshot().requireReadable(0, 2, READ_UNCOMMITTED);
    }
  }
}
