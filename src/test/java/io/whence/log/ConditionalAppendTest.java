package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConditionalAppendTest {
  @TempDir private Path directory;

  @Test
  void append_atTheNextOffset_isWritten() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.expect(append(owned, 0, 1).join(), 1);
      owned.expect(append(owned, 1, 2).join(), 2);

      owned.reopen().assertExact();
      owned.expect(append(owned, 2, 3).join(), 3);
      owned.assertExact();
    }
  }

  @Test
  void append_atAnotherOffset_isAConflictAndWritesNothing() throws IOException {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1, 2);
      long size = Files.size(owned.file(0, ".log"));

      for (long expected : new long[] {0, 1, 3, Long.MAX_VALUE, -1}) {
        WhenceException failure = OwnedLog.failureOf(append(owned, expected, 5));
        assertThat(failure.reason()).isEqualTo(ErrorReason.CONFLICT);
        assertThat(failure.metadata())
            .containsEntry("expected", String.valueOf(expected))
            .containsEntry("next_offset", "2");
      }
      assertThat(Files.size(owned.file(0, ".log"))).isEqualTo(size);
      owned.assertExact();
    }
  }

  @Test
  void append_behindOneThatIsNotOnDisk_countsIt() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.holdFlushes();
      CompletableFuture<OffsetRange> first = append(owned, 0, 1);
      CompletableFuture<OffsetRange> second = append(owned, 1, 2);
      owned.releaseFlushes();

      owned.expect(first.join(), 1);
      owned.expect(second.join(), 2);
      owned.assertExact();
    }
  }

  @Test
  void append_behindOneThatTheDiskRefused_isAConflict() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1);
      owned.disk.failForce("Input/output error");
      assertThat(OwnedLog.failureOf(append(owned, 1, 2)).reason())
          .isEqualTo(ErrorReason.STORAGE_ERROR);

      assertThat(OwnedLog.failureOf(append(owned, 2, 3)).reason()).isEqualTo(ErrorReason.CONFLICT);
      owned.expect(append(owned, 1, 4).join(), 4);
      owned.assertExact();
      owned.load().assertExact();
    }
  }

  @Test
  void append_behindOneThatCouldNotBeCutYet_isAConflict() {
    try (OwnedLog owned = OwnedLog.open(directory)) {
      owned.append(1);
      owned.disk.failForce("Input/output error");
      owned.disk.failTruncate("Input/output error");
      append(owned, 1, 2);

      assertThat(OwnedLog.failureOf(append(owned, 2, 3)).reason()).isEqualTo(ErrorReason.CONFLICT);
      owned.expect(append(owned, 1, 4).join(), 4);
      owned.assertExact();
    }
  }

  @Test
  void append_firstOfANewSegment_isWritten() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 40; i++) {
        owned.expect(append(owned, i, i).join(), i);
      }
      assertThat(owned.baseOffsets()).hasSizeGreaterThan(2);
      owned.assertExact();
    }
  }

  private static CompletableFuture<OffsetRange> append(
      OwnedLog owned, long expectedBaseOffset, long timestampMs) {
    SourceRecord record = new SourceRecord(timestampMs, null, new byte[20], List.of());
    return owned
        .log()
        .append(new AppendBatch(List.of(record), CompressionCodec.NONE), expectedBaseOffset)
        .toCompletableFuture();
  }
}
