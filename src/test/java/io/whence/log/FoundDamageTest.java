package io.whence.log;

import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage that a reader finds is told once of each segment, and counts for as long as it is there.
 */
class FoundDamageTest {
  @TempDir private Path directory;

  /** Makes a log of some segments, none of which is damaged. */
  private OwnedLog segments() {
    OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024);
    for (int i = 0; owned.baseOffsets().size() < 4; i++) {
      owned.append(1000 + i, 1000 + i);
    }
    return owned;
  }

  /** Changes a byte of the last batch of a segment; returns where that batch begins. */
  private static long damage(OwnedLog owned, long baseOffset) throws IOException {
    Path log = owned.file(baseOffset, SegmentNames.LOG);
    byte[] bytes = Files.readAllBytes(log);
    int last = 0;
    for (int next = 0; next < bytes.length; next += ByteBuffer.wrap(bytes).getInt(next + 8) + 12) {
      last = next;
    }
    bytes[bytes.length - 1] ^= 0x20;
    Files.write(log, bytes);
    return last;
  }

  private static void failToRead(OwnedLog owned, long offset) {
    assertThatThrownBy(
            () ->
                owned
                    .snapshot()
                    .read(offset, 1000, Long.MAX_VALUE, READ_UNCOMMITTED, Cancellation.NONE))
        .isInstanceOfSatisfying(
            WhenceException.class, e -> assertThat(e.reason()).isEqualTo(ErrorReason.DAMAGED_LOG));
  }

  @Test
  void readersOfAFlippedByte_areToldOfOnce_withFileAndPlace() throws IOException {
    try (OwnedLog owned = segments()) {
      assertThat(FoundDamage.count(owned.snapshot())).isZero();
      long second = owned.baseOffsets().get(1);
      long position = damage(owned, second);

      for (int i = 0; i < 5; i++) {
        failToRead(owned, second);
      }

      Path log = owned.file(second, SegmentNames.LOG);
      assertThat(owned.damages)
          .singleElement()
          .asString()
          .matches(
              "\\Q"
                  + log
                  + " at byte "
                  + position
                  + "\\E: expected CRC-32C 0x[0-9a-f]{8}, found .*0x[0-9a-f]{8}.*");
      assertThat(owned.warnings).isEmpty();
      assertThat(FoundDamage.count(owned.snapshot())).isEqualTo(1);
      assertThat(FoundDamage.firstOffset(owned.snapshot())).hasValue(second);
    }
  }

  @Test
  void eachSegment_isToldOfAndCounted_untilItIsTrimmed() throws IOException {
    try (OwnedLog owned = segments()) {
      List<Long> bases = owned.baseOffsets();
      damage(owned, bases.get(0));
      damage(owned, bases.get(1));
      failToRead(owned, bases.get(0));
      failToRead(owned, bases.get(1));

      assertThat(owned.damages).hasSize(2).doesNotHaveDuplicates();
      assertThat(FoundDamage.count(owned.snapshot())).isEqualTo(2);
      owned.trim(bases.get(1));
      assertThat(FoundDamage.count(owned.snapshot())).isEqualTo(1);
      owned.trim(bases.get(2));
      assertThat(FoundDamage.count(owned.snapshot())).isZero();
    }
  }

  @Test
  void damageThatAStartFinds_countsUntilItIsTrimmed() throws IOException {
    try (OwnedLog owned = segments()) {
      long second = owned.baseOffsets().get(1);
      damage(owned, second);
      LogSegment.deleteIndexes(directory, second);

      owned.load();

      assertThat(owned.snapshot().damages()).hasSize(1);
      assertThat(owned.damages).as("told as a warning").isEmpty();
      assertThat(FoundDamage.count(owned.snapshot())).isEqualTo(1);
      owned.trim(owned.snapshot().damages().get(0).range().endOffset());
      assertThat(FoundDamage.count(owned.snapshot())).isZero();
    }
  }

  /** The log is read for it, and is not what it was. */
  @Test
  void indexThatCantBeMadeAgain_isDamageToo() throws IOException {
    OwnedLog owned = segments();
    owned.close();
    owned.recoveryPoint = owned.records.size();
    owned.memory = OwnedLog.memoryOf(new BlockIndexCache(0));
    try (OwnedLog again = owned.load()) {
      damage(again, 0);
      LogSegment.deleteIndexes(directory, 0);

      failToRead(again, 0);
      failToRead(again, 0);

      assertThat(again.damages).hasSize(1);
      assertThat(FoundDamage.count(again.snapshot())).isEqualTo(1);
    }
  }

  @Test
  void fileThatWasCut_isToldOfOnce() throws IOException {
    try (OwnedLog owned = segments()) {
      Path log = owned.file(0, SegmentNames.LOG);
      byte[] bytes = Files.readAllBytes(log);
      Files.write(log, List.<String>of());

      failToRead(owned, 0);
      failToRead(owned, 0);

      assertThat(owned.damages)
          .containsExactly(
              log
                  + " at byte 0: expected at least "
                  + bytes.length
                  + " bytes, found the end of the file");
    }
  }
}
