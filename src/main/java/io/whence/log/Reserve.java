package io.whence.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A little room on disk that is kept for what frees room: to trim a log or to delete a topic, a
 * small file must be written first, which a full disk would refuse. Thread safety: thread-safe.
 */
final class Reserve {
  private static final String FILE_NAME = ".whence-reserve";
  private static final int BYTES = 64 << 10;
  private static final int LEAST_BYTES = 4 << 10;

  private final Path path;

  Reserve(Path directory) {
    this.path = directory.resolve(FILE_NAME);
  }

  /** A write that frees room in the end. */
  @FunctionalInterface
  interface Write {
    /** Writes. Runs a second time if the first found no room. */
    void run() throws IOException;
  }

  /** Takes the room, or as much as there is, if it isn't taken. */
  synchronized void keep() {
    boolean kept = Files.exists(path);
    for (int bytes = BYTES; !kept && bytes >= LEAST_BYTES; bytes /= 2) {
      kept = tryKeep(bytes);
    }
  }

  private boolean tryKeep(int bytes) {
    try {
      new AtomicFile(path).write(new byte[bytes]);
      return true;
    } catch (IOException e) {
      return false; // The disk is full already, and this is tried again from time to time.
    }
  }

  /** Writes, and gives up the room for it if need be. */
  synchronized void write(Write write) throws IOException {
    try {
      write.run();
    } catch (IOException e) {
      if (!StorageFailures.isFull(e) || !Files.deleteIfExists(path)) {
        throw e;
      }
      try {
        write.run();
      } finally {
        keep();
      }
    }
  }
}
