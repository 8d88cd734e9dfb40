package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {
  @TempDir private Path directory;
  private Path path;
  private OffsetCheckpoint offsets;
  private LeaderEpochCheckpoint epochs;
  private PartitionMetadataFile metadata;
  private ProducerSnapshotFile snapshot;

  @BeforeEach
  void nameFile() {
    path = directory.resolve("file");
    offsets = new OffsetCheckpoint(path);
    epochs = new LeaderEpochCheckpoint(path);
    metadata = new PartitionMetadataFile(path);
    snapshot = new ProducerSnapshotFile(path);
  }

  @Test
  void noFile_nothing() throws IOException {
    assertThat(offsets.read()).isEmpty();
    assertThat(epochs.read()).isEmpty();
    assertThat(metadata.read()).isEmpty();
    assertThat(snapshot.readOpenTransactions()).isEmpty();
  }

  @Test
  void emptyFile_noEntries() throws IOException {
    Files.createFile(path);
    assertThat(offsets.read()).isEmpty();
    assertThat(epochs.read()).isEmpty();
  }

  @Test
  void offsets_textOfKafka() throws IOException {
    Map<TopicPartition, Long> written = new LinkedHashMap<>();
    written.put(new TopicPartition("orders", 0), 42L);
    written.put(new TopicPartition("a-b.c_d", 7), Long.MAX_VALUE);

    offsets.write(written);

    assertThat(path).hasContent("0\n2\norders 0 42\na-b.c_d 7 9223372036854775807\n");
    assertThat(offsets.read()).isEqualTo(written);
    assertThat(directory).isDirectoryNotContaining("glob:**.tmp");
  }

  @Test
  void writtenAgain_replaced() throws IOException {
    offsets.write(Map.of(new TopicPartition("orders", 0), 42L));
    offsets.write(Map.of());
    assertThat(path).hasContent("0\n0\n");
    assertThat(offsets.read()).isEmpty();
  }

  @Test
  void temporaryLeftByCrash_overwritten() throws IOException {
    Files.writeString(directory.resolve("file.tmp"), "half of something much longer than the rest");
    offsets.write(Map.of(new TopicPartition("orders", 0), 1L));
    assertThat(path).hasContent("0\n1\norders 0 1\n");
  }

  @Test
  void epochs_textOfKafka() throws IOException {
    List<EpochEntry> written = List.of(new EpochEntry(0, 0), new EpochEntry(3, 17));
    epochs.write(written);
    assertThat(path).hasContent("0\n2\n0 0\n3 17\n");
    assertThat(epochs.read()).isEqualTo(written);
  }

  @Test
  void malformedLines_placeTold() {
    assertCorrupt("1\n0\n", "line 1", "version 0", "'1'");
    assertCorrupt("0\n", "line 2", "the number of lines that follow, 0", "the end of the file");
    assertCorrupt("0\nx\n", "line 2", "the number of lines that follow, 0", "'x'");
    assertCorrupt("0\n2\na 0 1\n", "line 2", "the number of lines that follow, 1", "'2'");
    assertCorrupt("0\n1\na 0 1\nb 0 1\n", "line 2", "the number of lines that follow, 2", "'1'");
    assertCorrupt("0\n2\na 0 1\na 0\n", "line 4", "3 fields", "'a 0'");
    assertCorrupt("0\n1\n\n", "line 3", "3 fields", "''");
    assertCorrupt("0\n1\na -1 1\n", "line 3", "a number from 0 to 2147483647", "'-1'");
    assertCorrupt("0\n1\na 0 1x\n", "line 3", "a number from 0 to 9223372036854775807", "'1x'");
    assertCorrupt("\0\0\0", "line 1", "version 0", "'\0\0\0'");
  }

  @Test
  void epochsNotIncreasing_rejected() throws IOException {
    Files.writeString(path, "0\n2\n3 17\n3 20\n");
    assertThatThrownBy(epochs::read)
        .isInstanceOf(CorruptFileException.class)
        .hasMessageContaining("line 4");
    Files.writeString(path, "0\n2\n3 17\n4 17\n");
    assertThatThrownBy(epochs::read).isInstanceOf(CorruptFileException.class);
  }

  @Test
  void metadata_textOfKafka() throws IOException {
    TopicId id = new TopicId(new UUID(0xF0DCEE44_078943CEL, 0x9911FC7B_DCA59043L));
    metadata.write(id);
    assertThat(Files.readString(path)).isEqualTo("version: 0\ntopic_id: 8NzuRAeJQ86ZEfx73KWQQw");
    assertThat(metadata.read()).contains(id);
  }

  @Test
  void malformedMetadata_placeTold() throws IOException {
    assertCorruptMetadata("", "line 1");
    assertCorruptMetadata("version: 1\ntopic_id: 8NzuRAeJQ86ZEfx73KWQQw", "line 1");
    assertCorruptMetadata("version: 0\n", "line 2");
    assertCorruptMetadata("version: 0\ntopic: x\n", "line 2");
    assertCorruptMetadata("version: 0\ntopic_id: tooShort\n", "line 2");
    assertCorruptMetadata("version: 0\ntopic_id: ***\n", "line 2");
  }

  @Test
  void cleanShutdownMarker_writtenAndDeleted() throws IOException {
    CleanShutdownMarker marker = new CleanShutdownMarker(directory);
    assertThat(marker.exists()).isFalse();
    marker.delete();

    marker.write();
    assertThat(marker.exists()).isTrue();
    assertThat(directory.resolve(".kafka_cleanshutdown"))
        .hasContent("{\"version\":0,\"brokerEpoch\":-1}");

    marker.delete();
    assertThat(marker.exists()).isFalse();
  }

  @Test
  void snapshot_openTransactionsOnly() throws IOException {
    Files.write(path, snapshotBytes());
    assertThat(snapshot.readOpenTransactions()).contains(Map.of(8L, 100L));
  }

  @Test
  void damagedSnapshot_countsAsNone() throws IOException {
    byte[] sound = snapshotBytes();
    for (int at = 0; at < sound.length; at++) {
      byte[] damaged = sound.clone();
      damaged[at] ^= 4;
      Files.write(path, damaged);
      assertThat(snapshot.readOpenTransactions()).as("flipped at %d", at).isEmpty();
      Files.write(path, Arrays.copyOf(sound, at));
      assertThat(snapshot.readOpenTransactions()).as("cut at %d", at).isEmpty();
    }
  }

  @Test
  void snapshotWithWrongCount_countsAsNone() throws IOException {
    byte[] bytes = snapshotBytes();
    for (int count : new int[] {-1, 0, 1, 3, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      ByteBuffer.wrap(bytes).putInt(6, count);
      Files.write(path, withCrc(bytes));
      assertThat(snapshot.readOpenTransactions()).as("count %d", count).isEmpty();
    }
  }

  private static byte[] snapshotBytes() {
    ByteBuffer bytes = ByteBuffer.allocate(10 + 2 * 46).putShort((short) 1).putInt(0).putInt(2);
    putProducer(bytes, 7, -1);
    putProducer(bytes, 8, 100);
    return withCrc(bytes.array());
  }

  private static void putProducer(ByteBuffer bytes, long producerId, long firstOffset) {
    bytes.putLong(producerId).putShort((short) 3).putInt(5).putLong(110).putInt(2);
    bytes.putLong(1_700_000_000_000L).putInt(0).putLong(firstOffset);
  }

  private static byte[] withCrc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 6, bytes.length - 6);
    ByteBuffer.wrap(bytes).putInt(2, (int) crc.getValue());
    return bytes;
  }

  private void assertCorrupt(String content, String place, String expected, String found) {
    assertThatThrownBy(readAfterWriting(content, () -> offsets.read()))
        .isInstanceOfSatisfying(
            CorruptFileException.class,
            e -> {
              assertThat(e.path()).isEqualTo(path);
              assertThat(e.position()).isEqualTo(place);
              assertThat(e.expected()).isEqualTo(expected);
              assertThat(e.found()).isEqualTo(found);
            });
  }

  private void assertCorruptMetadata(String content, String place) {
    assertThatThrownBy(readAfterWriting(content, () -> metadata.read()))
        .isInstanceOfSatisfying(
            CorruptFileException.class, e -> assertThat(e.position()).isEqualTo(place));
  }

  private ThrowingCallable readAfterWriting(String content, ThrowingCallable read) {
    return () -> {
      Files.writeString(path, content);
      read.call();
    };
  }
}
