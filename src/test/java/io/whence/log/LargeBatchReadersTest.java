package io.whence.log;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.testkit.BatchBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever reads a large batch lets the next one in, however the reading ends. */
class LargeBatchReadersTest {
  private static final byte[] LARGE = large().build();
  private static final byte[] SMALL = BatchBuilder.batch(2).records(7, 8).build();

  @TempDir private Path directory;
  private TestLogs.Loaded other;

  private static BatchBuilder large() {
    return BatchBuilder.batch(0)
        .record(new SourceRecord(5, null, new byte[17 << 20], List.of()))
        .record(6)
        .codec(CompressionCodec.ZSTD);
  }

  @BeforeEach
  void load() throws IOException {
    other = TestLogs.loadArchive(directory("other"), 0);
  }

  @AfterEach
  void close() {
    other.close();
  }

  private Path directory(String name) throws IOException {
    Path made = Files.createDirectories(directory.resolve(name));
    Path file = SegmentNames.path(made, 0, SegmentNames.LOG);
    Files.write(file, Follower.joined(LARGE, SMALL).array());
    return made;
  }

  /** Another thread can read a large batch. */
  private void assertNobodyIsIn() throws Exception {
    CompletableFuture<List<Long>> read =
        CompletableFuture.supplyAsync(() -> TestLogs.offsets(other.log()));
    assertThat(read.get(50, SECONDS)).containsExactly(0L, 1L, 2L, 3L);
  }

  @Test
  void loading_letsTheNextIn() throws Exception {
    try (TestLogs.Loaded loaded = TestLogs.load(directory("log"), 1, 0)) {
      assertThat(loaded.log().highWatermark()).isEqualTo(4);
      assertNobodyIsIn();
    }
  }

  @Test
  void readingSomeRecords_letsTheNextIn() throws Exception {
    assertThat(other.log().read(0, 1, 100, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE))
        .hasSize(1);
    assertNobodyIsIn();
  }

  @Test
  void readerThatThrows_letsTheNextIn() throws Exception {
    RecordVisitor throwing =
        (batch, record) -> {
          throw new IllegalStateException("a test");
        };
    assertThatThrownBy(() -> other.log().readAll(0, throwing, Cancellation.NONE))
        .hasMessage("a test");
    assertNobodyIsIn();
  }

  @Test
  void following_letsTheNextIn() throws Exception {
    byte[] damaged = large().lastOffsetDelta(0).build();
    try (Follower follower = Follower.open(directory.resolve("log"), 0)) {
      follower.append(damaged);
      assertNobodyIsIn();
    }
    try (Follower follower = Follower.open(directory.resolve("next"), 0).append(LARGE, SMALL)) {
      assertThat(follower.offsets(IsolationLevel.READ_UNCOMMITTED)).containsExactly(0L, 1L, 2L, 3L);
      assertNobodyIsIn();
    }
  }

  @Test
  void compacting_letsTheNextIn() throws Exception {
    directory("log");
    try (OwnedLog owned = OwnedLog.open(directory.resolve("log"), "segment.bytes", 1024)) {
      owned.appendValue(
          new byte[600], 9); // In a segment behind, for the active one is not compacted.
      assertThat(owned.log().compact((batch, record) -> record.offset() != 1)).isEqualTo(1);
      assertNobodyIsIn();
      assertThat(TestLogs.offsets(owned.snapshot())).containsExactly(0L, 2L, 3L, 4L);
    }
  }
}
