package io.whence.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a directory from other processes, by the same lock file as Kafka's. Thread safety:
 * thread-safe.
 */
public final class DirectoryLock implements AutoCloseable {
  /** The name of the lock file. */
  static final String FILE_NAME = ".lock";

  /**
   * What this process has open. Not left to the lock files: a process loses its lock when it closes
   * any descriptor of the file, such as that of a second try.
   */
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path realPath;
  private final FileChannel file;
  private final AtomicBoolean closed = new AtomicBoolean();

  private DirectoryLock(Path realPath, FileChannel file) {
    this.realPath = realPath;
    this.file = file;
  }

  /**
   * Takes the lock of a directory that is there.
   *
   * @throws IOException if it can't be written, or this or another process has the lock
   */
  public static DirectoryLock take(Path path) throws IOException {
    Path realPath = path.toRealPath();
    if (!OPEN.add(realPath)) {
      throw taken(path, "this process");
    }
    try {
      return new DirectoryLock(realPath, lockedFile(path));
    } catch (IOException | RuntimeException e) {
      OPEN.remove(realPath);
      throw e;
    }
  }

  private static FileChannel lockedFile(Path path) throws IOException {
    FileChannel file = openFile(path);
    try {
      if (tryLock(file) == null) {
        throw taken(path, "another process");
      }
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static FileChannel openFile(Path path) throws IOException {
    try {
      return FileChannel.open(
          path.resolve(FILE_NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException(path + ": must be writable by this process: " + e, e);
    }
  }

  private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
    try {
      return file.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // Held by this very process.
    }
  }

  private static IOException taken(Path path, String holder) {
    return new IOException(
        path
            + ": "
            + holder
            + " has the lock "
            + path.resolve(FILE_NAME)
            + "; stop it, or use another directory");
  }

  /** Lets another process have the directory. Does nothing the second time. */
  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      try {
        file.close();
      } finally {
        OPEN.remove(realPath);
      }
    }
  }
}
