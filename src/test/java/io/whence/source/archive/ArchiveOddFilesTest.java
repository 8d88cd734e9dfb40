package io.whence.source.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.testkit.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are not what their names say: other kinds of files, other formats. */
class ArchiveOddFilesTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders_i100000", 0);
  private static final TopicPartition KILLED = new TopicPartition("u", 0);

  @TempDir private Path directory;

  @Test
  void namedPipes_areNeverOpened() throws IOException, InterruptedException {
    Path archive = Fixtures.unpack("ordered-plain", directory.resolve("archive"));
    Path partition = archive.resolve(ORDERS.toString());
    pipe(partition.resolve("%020d.snapshot".formatted(598)));
    pipe(partition.resolve("partition.metadata"));
    pipe(archive.resolve("orders-0/00000000000000000000.log"));

    ArchiveSource source =
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> Archives.load(archive));

    assertThat(source.snapshot(ORDERS).highWatermark()).isEqualTo(598);
    WhenceException failure =
        catchThrowableOfType(
            WhenceException.class, () -> source.snapshot(new TopicPartition("orders", 0)));
    assertThat(failure.reason()).isEqualTo(ErrorReason.STORAGE_ERROR);
  }

  private static void pipe(Path path) throws IOException, InterruptedException {
    Files.deleteIfExists(path);
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void messageOfOlderFormat_isUnsupportedAndNamed(int magic) throws IOException {
    Path archive = Fixtures.unpack("kill9-intact", directory.resolve("archive"));
    Path log = archive.resolve("u-3/00000000000000000000.log");
    int end = (int) Files.size(log);
    Files.write(log, olderMessage(240, magic), StandardOpenOption.APPEND);

    ArchiveSource source = Archives.load(archive);

    WhenceException failure =
        catchThrowableOfType(
            WhenceException.class, () -> source.snapshot(new TopicPartition("u", 3)));
    assertThat(failure.reason()).isEqualTo(ErrorReason.UNSUPPORTED_FORMAT);
    assertThat(failure.metadata())
        .containsEntry("path", log.toString())
        .containsEntry("position", "" + end)
        .containsEntry("expected", "magic 2")
        .containsEntry("found", "magic " + magic);
    assertThat(source.snapshot(KILLED).highWatermark()).isEqualTo(625);
  }

  private static byte[] olderMessage(long offset, int magic) {
    ByteBuffer message = ByteBuffer.allocate(12 + 14 + (magic == 1 ? 8 : 0) + 3);
    message.putLong(offset).putInt(message.capacity() - 12).putInt(0);
    message.put((byte) magic).put((byte) 0);
    if (magic == 1) {
      message.putLong(1_600_000_000_000L);
    }
    message.putInt(-1).putInt(3).put(new byte[] {1, 2, 3});
    CRC32 crc = new CRC32();
    crc.update(message.array(), 16, message.capacity() - 16);
    return message.putInt(12, (int) crc.getValue()).array();
  }
}
