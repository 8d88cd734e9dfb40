package io.whence.log;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Refuses what only looks like a file. Thread safety: thread-safe. */
final class RegularFiles {
  private RegularFiles() {}

  /**
   * Fails unless a path leads to a regular file: to open a named pipe waits for ever.
   *
   * @throws java.nio.file.NoSuchFileException if there is nothing
   */
  static void require(Path path) throws IOException {
    if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
      throw new FileSystemException(path.toString(), null, "is not a regular file");
    }
  }
}
