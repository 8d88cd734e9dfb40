package io.whence.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Optional;

/**
 * A small file that is only ever replaced as a whole. Invariant: after a crash it holds the old
 * content or the new, all of it. Thread safety: single-writer; readers may come at any time.
 */
final class AtomicFile {
  /** What the name of an unfinished file ends in. */
  static final String TEMPORARY_SUFFIX = ".tmp";

  private final Path path;
  private final Path temporary;

  AtomicFile(Path path) {
    this.path = path;
    temporary = path.resolveSibling(path.getFileName() + TEMPORARY_SUFFIX);
  }

  Path path() {
    return path;
  }

  /** Reads the whole file, if there is one. */
  Optional<byte[]> read() throws IOException {
    try {
      RegularFiles.require(path);
      return Optional.of(Files.readAllBytes(path));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Reads the whole file as UTF-8, if there is one; bytes that aren't become U+FFFD. */
  Optional<String> readText() throws IOException {
    return read().map(bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** Replaces the file; on the disk when it returns. */
  void writeText(String text) throws IOException {
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Replaces the file; on the disk when it returns. */
  void write(byte[] content) throws IOException {
    try {
      writeTemporary(content);
    } catch (IOException e) {
      discardTemporary(e);
      throw e;
    }
    Files.move(
        temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory(directory());
  }

  private void writeTemporary(byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** A disk that is full needs the room. */
  private void discardTemporary(IOException cause) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Deletes the file, if there is one; gone from the disk when it returns. */
  void delete() throws IOException {
    if (Files.deleteIfExists(path)) {
      forceDirectory(directory());
    }
  }

  /** Puts what was created, renamed and deleted in a directory on the disk. */
  static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private Path directory() {
    return Objects.requireNonNull(path.toAbsolutePath().getParent(), "a file has a directory");
  }
}
