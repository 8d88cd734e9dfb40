package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredBlocksTest {
  @TempDir Path directory;

  /** Opens a log of several segments of several blocks, none of which stay in memory. */
  private OwnedLog open() {
    OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 2048, "index.interval.bytes", 100);
    Random random = new Random(5);
    for (int i = 0; i < 60; i++) {
      owned.append(random.nextInt(500), random.nextInt(500));
    }
    owned.memory = OwnedLog.memoryOf(new BlockIndexCache(0));
    return owned.reopen();
  }

  @Test
  void sealedSegments_rolledOrOpened_haveTheirBlocksInFiles() {
    try (OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024)) {
      for (int i = 0; i < 30; i++) {
        owned.append(i, i);
      }
      assertAllButTheLastInFiles(owned);
      owned.reopen();
      assertAllButTheLastInFiles(owned);
    }
  }

  private static void assertAllButTheLastInFiles(OwnedLog owned) {
    List<BlockSource> blocks =
        owned.snapshot().views().stream().map(view -> view.index().blocks()).toList();
    assertThat(blocks).hasSizeGreaterThan(3);
    assertThat(blocks.subList(0, blocks.size() - 1)).hasOnlyElementsOfType(StoredBlocks.class);
    assertThat(blocks.get(blocks.size() - 1)).isInstanceOf(BlockIndex.class);
  }

  @Test
  void answers_fileDamagedUnderTheServer_areExactAndTheFileIsReplaced() throws IOException {
    try (OwnedLog owned = open()) {
      Path file = owned.file(0, ".blockindex");
      byte[] right = Files.readAllBytes(file);
      byte[] other = Files.readAllBytes(owned.file(owned.baseOffsets().get(1), ".blockindex"));
      for (byte[] wrong : wrongOnes(right, other)) {
        Files.write(file, wrong);

        owned.snapshot().views().get(0).index().blocks().load();

        assertThat(Files.readAllBytes(file)).isEqualTo(right);
      }
      Files.write(file, other);
      owned.assertExact();
      Files.delete(file);
      owned.assertExact();
      assertThat(Files.readAllBytes(file)).isEqualTo(right);
    }
  }

  private static List<byte[]> wrongOnes(byte[] right, byte[] other) {
    List<byte[]> wrong = new ArrayList<>(List.of(new byte[0], other));
    wrong.add(Arrays.copyOf(right, right.length + 1));
    wrong.add(Arrays.copyOf(right, right.length - 1));
    for (int i = 0; i < right.length; i += 7) {
      byte[] flipped = right.clone();
      flipped[i] ^= 1;
      wrong.add(flipped);
    }
    return wrong;
  }

  @Test
  void load_neitherFileNorLogAsTheyWere_fails() throws IOException {
    try (OwnedLog owned = open()) {
      Path log = owned.file(0, ".log");
      byte[] bytes = Files.readAllBytes(log);
      bytes[bytes.length - 5] ^= 1;
      Files.write(log, bytes);
      Files.delete(owned.file(0, ".blockindex"));
      BlockSource blocks = owned.snapshot().views().get(0).index().blocks();

      assertThatThrownBy(blocks::load)
          .isInstanceOfSatisfying(
              WhenceException.class,
              failure -> assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG));
      assertThat(owned.file(0, ".blockindex")).doesNotExist();
    }
  }

  @Test
  void load_anotherWholeLogInItsPlace_fails(@TempDir Path elsewhere) throws IOException {
    try (OwnedLog owned = open();
        OwnedLog other = OwnedLog.open(elsewhere, "segment.bytes", 2048)) {
      while (other.baseOffsets().size() < 2) {
        other.append(1, 2);
      }
      Files.delete(owned.file(0, ".blockindex"));
      Files.copy(
          other.file(0, ".log"),
          owned.file(0, ".log"),
          java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      BlockSource blocks = owned.snapshot().views().get(0).index().blocks();

      assertThatThrownBy(blocks::load).isInstanceOf(WhenceException.class);
    }
  }

  @Test
  void oldSnapshot_segmentsTrimmed_answersUntilTheFilesGo() throws IOException {
    try (OwnedLog owned = open()) {
      LogSnapshot before = owned.snapshot();
      List<OracleRecord> records = List.copyOf(owned.records);

      owned.trim(owned.baseOffsets().get(3));

      assertThat(owned.file(0, ".blockindex")).doesNotExist();
      OwnedLog.assertExact(before, records);
      owned.disk.resetReadBytes();
      before.views().get(0).index().blocks().load();
      assertThat(owned.disk.readBytes()).as("read of the .log").isZero();
      for (LogEnvironment.Deletion deletion : owned.deletions) {
        deletion.run();
      }
      assertThat(names(".deleted")).isEmpty();
    }
  }

  @Test
  void oldSnapshot_segmentsCompacted_neverGetsTheBlocksOfWhatReplacedThem() throws IOException {
    try (OwnedLog owned = open()) {
      LogSnapshot before = owned.snapshot();
      List<OracleRecord> records = List.copyOf(owned.records);
      long activeBase = owned.baseOffsets().get(owned.baseOffsets().size() - 1);

      long removed = owned.log().compact((batch, record) -> record.offset() % 3 == 0);

      assertThat(removed).isPositive();
      assertThat(owned.file(0, ".blockindex")).exists();
      OwnedLog.assertExact(before, records);
      // Not even when its own file is gone, and without touching that of the other.
      byte[] ofReplacement = Files.readAllBytes(owned.file(0, ".blockindex"));
      for (Path aside : names(".deleted")) {
        if (aside.toString().contains(".blockindex")) {
          Files.copy(
              owned.file(0, ".blockindex"),
              aside,
              java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
      }
      OwnedLog.assertExact(before, records);
      assertThat(Files.readAllBytes(owned.file(0, ".blockindex"))).isEqualTo(ofReplacement);
      owned.records.removeIf(r -> r.offset() < activeBase && r.offset() % 3 != 0);
      owned.assertExact();
      owned.reopen().assertExact();
      assertThat(names(".deleted")).isEmpty();
    }
  }

  @Test
  void load_logClosed_writesNoFile() throws IOException {
    OwnedLog owned = open();
    BlockSource blocks = owned.snapshot().views().get(0).index().blocks();
    Files.delete(owned.file(0, ".blockindex"));
    owned.close();

    assertThatThrownBy(blocks::load).isInstanceOf(WhenceException.class);
    assertThat(owned.file(0, ".blockindex")).doesNotExist();
  }

  private List<Path> names(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }
}
