package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files beyond the limit are closed, and nobody who uses one notices. */
class OpenFilesTest {
  private static final int LIMIT = 4;
  private static final int FILES = 20;

  @TempDir private Path directory;

  private final OpenFiles openFiles = new OpenFiles(LIMIT);
  private final List<SegmentFile> files = new ArrayList<>();

  @BeforeEach
  void makeFiles() throws IOException {
    for (int i = 0; i < FILES; i++) {
      Path path = Files.write(directory.resolve(i + ".log"), new byte[] {(byte) i});
      files.add(new SegmentFile(path, true, Disk.REAL, openFiles, LogEvents.NOOP));
    }
  }

  @Test
  void moreFilesThanTheLimit_areReadInTurn() throws IOException {
    long before = openDescriptors();

    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < FILES; i++) {
        assertThat(read(files.get(i))).isEqualTo((byte) i);
      }
    }

    assertThat(openFiles.count()).isEqualTo(LIMIT);
    assertThat(openDescriptors() - before).isEqualTo(LIMIT);
  }

  @Test
  void fileWithBytesThatAreNotOnDisk_staysOpenUntilForced() throws IOException {
    SegmentFile written = files.get(0);
    written.write(ByteBuffer.wrap(new byte[] {42}), 0);

    assertThat(written.closeIfIdle()).isFalse();
    assertThat(written.closeIfIdle()).isFalse();
    written.force();
    assertThat(written.closeIfIdle()).isFalse(); // Used by the force.
    assertThat(written.closeIfIdle()).isTrue();
    assertThat(read(written)).isEqualTo((byte) 42);
  }

  @Test
  void filesClosedUnderReaders_areReadAllTheSame() throws Exception {
    ExecutorService readers = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int reader = 0; reader < 4; reader++) {
        Random random = new Random(reader);
        done.add(
            readers.submit(
                () -> {
                  for (int i = 0; i < 3_000; i++) {
                    int file = random.nextInt(FILES);
                    assertThat(read(files.get(file))).isEqualTo((byte) file);
                  }
                }));
      }
      for (Future<?> reader : done) {
        reader.get();
      }
    } finally {
      readers.shutdownNow();
    }
    assertThat(openFiles.count()).isEqualTo(LIMIT);
  }

  private static byte read(SegmentFile file) {
    ByteBuffer one = ByteBuffer.allocate(1);
    file.read(0, 1, one);
    return one.get(0);
  }

  private long openDescriptors() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(this::isOfDirectory).count();
    }
  }

  private boolean isOfDirectory(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(directory);
    } catch (IOException e) {
      return false; // Closed meanwhile.
    }
  }
}
