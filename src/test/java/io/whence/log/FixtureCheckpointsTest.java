package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.TopicPartition;
import io.whence.testkit.FixtureArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a real broker wrote is read, and written again byte for byte. */
class FixtureCheckpointsTest {
  @TempDir private Path directory;

  static List<String> fixtures() {
    return FixtureArchive.names();
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void filesOfBroker_writtenAgainTheSame(String fixture) throws Exception {
    FixtureArchive.unpack(fixture, directory);

    int leaderEpochFiles = 0;
    for (Path path : filesNamed(LeaderEpochCheckpoint.FILE_NAME)) {
      LeaderEpochCheckpoint checkpoint = new LeaderEpochCheckpoint(path);
      assertSameAfter(path, () -> checkpoint.write(checkpoint.read()));
      leaderEpochFiles++;
    }
    assertThat(leaderEpochFiles).isPositive();
    List<Path> metadataFiles = filesNamed(PartitionMetadataFile.FILE_NAME);
    assertThat(metadataFiles).isNotEmpty();
    for (Path path : metadataFiles) {
      PartitionMetadataFile file = new PartitionMetadataFile(path);
      assertSameAfter(path, () -> file.write(file.read().orElseThrow()));
    }
    for (String name : List.of(OffsetCheckpoint.RECOVERY_POINT, OffsetCheckpoint.HIGH_WATERMARK)) {
      assertOffsetsRewritable(directory.resolve(name));
    }
  }

  private static void assertOffsetsRewritable(Path path) throws IOException {
    OffsetCheckpoint checkpoint = new OffsetCheckpoint(path);
    if (Files.size(path) == 0) {
      // A broker that is killed before its first checkpoint leaves empty files.
      assertThat(checkpoint.read()).isEmpty();
      return;
    }
    assertSameAfter(path, () -> checkpoint.write(checkpoint.read()));
  }

  @Test
  void offsetsOfBroker_read() throws Exception {
    FixtureArchive.unpack("delete-records", directory);

    assertThat(new OffsetCheckpoint(directory.resolve(OffsetCheckpoint.LOG_START_OFFSET)).read())
        .isEqualTo(
            Map.of(
                new TopicPartition("dr-gone", 1), 146L,
                new TopicPartition("dr", 3), 81L,
                new TopicPartition("dr-gone", 0), 82L,
                new TopicPartition("dr", 2), 1L,
                new TopicPartition("dr", 1), 138L,
                new TopicPartition("dr", 0), 102L,
                new TopicPartition("dr89", 0), 2L));
    assertThat(new OffsetCheckpoint(directory.resolve(OffsetCheckpoint.HIGH_WATERMARK)).read())
        .hasSize(8)
        .containsEntry(new TopicPartition("dr", 0), 273L);
    assertThat(new CleanShutdownMarker(directory).exists()).isTrue();
  }

  @Test
  void producersOfBroker_openTransactionsRead() throws Exception {
    FixtureArchive.unpack("transactions", directory);

    assertThat(openTransactions("tx-0", 391)).isEqualTo(Map.of(4L, 271L));
    assertThat(openTransactions("tx-0", 249)).isEqualTo(Map.of(2L, 246L, 3L, 206L, 4L, 228L));
    assertThat(openTransactions("tx-1", 350)).isEmpty();
    assertThat(openTransactions("tx-2", 118)).isEqualTo(Map.of(1L, 0L));
    assertThat(openTransactions("__transaction_state-0", 262)).isEmpty();
  }

  private Map<Long, Long> openTransactions(String partition, int offset) throws IOException {
    String name = "%020d.snapshot".formatted(offset);
    return new ProducerSnapshotFile(directory.resolve(partition).resolve(name))
        .readOpenTransactions()
        .orElseThrow();
  }

  private List<Path> filesNamed(String name) throws IOException {
    try (Stream<Path> paths = Files.walk(directory)) {
      return paths.filter(path -> path.getFileName().toString().equals(name)).toList();
    }
  }

  private static void assertSameAfter(Path path, Rewrite rewrite) throws IOException {
    String before = Files.readString(path);
    rewrite.run();
    assertThat(Files.readString(path)).as("%s", path.getFileName()).isEqualTo(before);
  }

  private interface Rewrite {
    void run() throws IOException;
  }
}
