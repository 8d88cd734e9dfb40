package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentFileTest {
  private final FaultyDisk disk = new FaultyDisk();
  @TempDir private Path directory;
  private Path path;
  private SegmentFile file;

  @BeforeEach
  void open() throws IOException {
    path = Files.write(directory.resolve("a.log"), new byte[] {1, 2, 3, 4});
    file = new SegmentFile(path, true, disk, LogEvents.NOOP);
  }

  @AfterEach
  void close() throws IOException {
    file.retire();
  }

  @Test
  void read_afterAReaderWasInterrupted_goesOn() throws Exception {
    Thread reader =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              assertThatThrownBy(() -> read(4)).isInstanceOf(WhenceException.class);
            });
    read(4);
    reader.start();
    reader.join(60_000);

    assertThat(read(4)).containsExactly(1, 2, 3, 4);
    file.write(ByteBuffer.wrap(new byte[] {9}), 4);
    file.force();
    assertThat(read(5)).containsExactly(1, 2, 3, 4, 9);
  }

  @Test
  void force_afterAFailure_failsUntilTheFileIsCut() throws IOException {
    file.write(ByteBuffer.wrap(new byte[] {9, 9}), 4);
    disk.failForce("Input/output error");

    assertThatThrownBy(file::force).hasMessage("Input/output error");
    assertThatThrownBy(file::force).hasMessageContaining("an earlier flush failed");
    disk.failForce("Input/output error");
    assertThatThrownBy(() -> file.cutTo(4)).hasMessage("Input/output error");
    assertThatThrownBy(file::force).hasMessageContaining("an earlier flush failed");
    file.cutTo(4);
    file.force();
    assertThat(path).hasBinaryContent(new byte[] {1, 2, 3, 4});
  }

  @Test
  void read_beyondTheEnd_isDamage() {
    assertThatThrownBy(() -> read(5))
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(ErrorReason.DAMAGED_LOG);
              assertThat(e.metadata()).containsEntry("position", "4");
            });
  }

  @Test
  void file_retired_isNeverOpenedAgain() throws IOException {
    file.close();
    assertThat(read(1)).containsExactly(1);
    file.retire();
    Files.write(path, new byte[] {7});

    assertThatThrownBy(() -> read(1))
        .isInstanceOfSatisfying(
            WhenceException.class,
            e -> assertThat(e.reason()).isEqualTo(ErrorReason.STORAGE_ERROR));
  }

  private byte[] read(int count) {
    ByteBuffer target = ByteBuffer.allocate(count);
    file.read(0, count, target);
    return target.array();
  }
}
