package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/**
 * The .log file of a segment. Opens on first use and stays open until {@link #close}, so that a
 * reader with an older snapshot can finish after the segment was deleted. Thread safety:
 * thread-safe; writes are the business of the one writer of its partition.
 */
final class SegmentFile {
  private static final int CRC_CHUNK_BYTES = 1 << 20;

  private final Object lock = new Object();
  private final boolean writable;

  @GuardedBy("lock")
  private Path path;

  private volatile @Nullable FileChannel channel;

  SegmentFile(Path path, boolean writable) {
    this.path = path;
    this.writable = writable;
  }

  Path path() {
    synchronized (lock) {
      return path;
    }
  }

  long size() {
    try {
      return channel().size();
    } catch (IOException e) {
      throw failure("read", e);
    }
  }

  /**
   * Reads bytes.
   *
   * @param target where to put them; filled from 0 to {@code length}, then flipped
   * @throws WhenceException {@code DAMAGED_LOG} if the file ends before
   */
  void read(long position, int length, ByteBuffer target) {
    target.clear().limit(length);
    try {
      FileChannel file = channel();
      while (target.hasRemaining()) {
        if (file.read(target, position + target.position()) < 0) {
          throw endedEarly(position + length, position + target.position());
        }
      }
    } catch (IOException e) {
      throw failure("read", e);
    }
    target.flip();
  }

  /** Computes the CRC-32C of a range. */
  int crc32c(long position, long length) {
    return (int) checksum(new CRC32C(), position, length);
  }

  /** Computes a checksum of a range without holding it in memory. */
  long checksum(Checksum checksum, long position, long length) {
    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(length, CRC_CHUNK_BYTES));
    for (long done = 0; done < length; done += chunk.limit()) {
      read(position + done, (int) Math.min(length - done, CRC_CHUNK_BYTES), chunk);
      checksum.update(chunk);
    }
    return checksum.getValue();
  }

  /** Writes bytes at a position; on return the file may hold a part of them if this throws. */
  void write(ByteBuffer bytes, long position) throws IOException {
    FileChannel file = channel();
    long at = position;
    while (bytes.hasRemaining()) {
      at += file.write(bytes, at);
    }
  }

  void truncate(long size) throws IOException {
    channel().truncate(size);
  }

  /** Returns when everything that was written before is on disk. */
  void force() throws IOException {
    channel().force(false);
  }

  /** Renames the file; readers go on. */
  void renameTo(Path target) throws IOException {
    synchronized (lock) {
      Files.move(path, target);
      path = target;
    }
  }

  void close() throws IOException {
    synchronized (lock) {
      FileChannel open = channel;
      channel = null;
      if (open != null) {
        open.close();
      }
    }
  }

  private FileChannel channel() throws IOException {
    FileChannel open = channel;
    // An interrupt of one reader closes the channel under all of them.
    if (open != null && open.isOpen()) {
      return open;
    }
    synchronized (lock) {
      FileChannel again = channel;
      if (again == null || !again.isOpen()) {
        again =
            FileChannel.open(
                path,
                writable
                    ? Set.of(
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE)
                    : Set.of(StandardOpenOption.READ));
        channel = again;
      }
      return again;
    }
  }

  private WhenceException endedEarly(long expectedSize, long size) {
    return WhenceException.of(
        ErrorReason.DAMAGED_LOG,
        path()
            + " at byte "
            + size
            + ": expected at least "
            + expectedSize
            + " bytes, found the end",
        "path",
        path(),
        "position",
        size,
        "expected",
        "at least " + expectedSize + " bytes",
        "found",
        "the end of the file");
  }

  private WhenceException failure(String verb, IOException cause) {
    return WhenceException.causedBy(
        cause,
        ErrorReason.STORAGE_ERROR,
        "could not " + verb + " " + path() + ": " + cause,
        "path",
        path());
  }
}
