package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The .log file of a segment. Opens on first use, and again after {@link #close}; stays open else,
 * so that a reader with an older snapshot can finish after the segment was deleted. Thread safety:
 * thread-safe; writes are the business of the one writer of its partition.
 *
 * <p>Invariant: after a force that failed none succeeds before the file is cut. The system tells of
 * a lost write only once, so the success of the next force would mean nothing.
 */
final class SegmentFile {
  private static final int CRC_CHUNK_BYTES = 1 << 20;

  private final Object lock = new Object();

  /** Held while the disk works; taken after the lock of a log, never before. */
  private final Object forceLock = new Object();

  private final boolean writable;
  private final Disk disk;

  @GuardedBy("lock")
  private Path path;

  @GuardedBy("lock")
  private boolean retired;

  @GuardedBy("forceLock")
  private boolean forceFailed;

  private volatile @Nullable FileChannel channel;

  SegmentFile(Path path, boolean writable) {
    this(path, writable, Disk.REAL);
  }

  SegmentFile(Path path, boolean writable, Disk disk) {
    this.path = path;
    this.writable = writable;
    this.disk = disk;
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
      while (target.hasRemaining()) {
        if (readSome(target, position + target.position()) < 0) {
          throw endedEarly(position + length, position + target.position());
        }
      }
    } catch (IOException e) {
      throw failure("read", e);
    }
    target.flip();
  }

  private int readSome(ByteBuffer target, long position) throws IOException {
    FileChannel file = channel();
    try {
      return disk.read(file, target, position);
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (ClosedChannelException e) {
      // An interrupt of another reader closes the channel under all of them.
      return disk.read(channel(), target, position);
    }
  }

  /** Computes the checksum of a range without holding it in memory. */
  int crc32c(long position, long length) {
    CRC32C crc = new CRC32C();
    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(length, CRC_CHUNK_BYTES));
    for (long done = 0; done < length; done += chunk.limit()) {
      read(position + done, (int) Math.min(length - done, CRC_CHUNK_BYTES), chunk);
      crc.update(chunk);
    }
    return (int) crc.getValue();
  }

  /** Writes bytes at a position; on return the file may hold a part of them if this throws. */
  void write(ByteBuffer bytes, long position) throws IOException {
    FileChannel file = channel();
    long at = position;
    while (bytes.hasRemaining()) {
      at += disk.write(file, bytes, at);
    }
  }

  void truncate(long size) throws IOException {
    disk.truncate(channel(), size);
  }

  /** Returns when everything that was written before is on disk. */
  void force() throws IOException {
    synchronized (forceLock) {
      if (forceFailed) {
        throw new IOException("an earlier flush failed, and nothing was cut off since");
      }
      forceFailed = true;
      disk.force(channel());
      forceFailed = false;
    }
  }

  /** Cuts off what may not have got to the disk; what is left is there when this returns. */
  void cutTo(long size) throws IOException {
    synchronized (forceLock) {
      forceFailed = true;
      disk.truncate(channel(), size);
      disk.force(channel());
      forceFailed = false;
    }
  }

  /** Renames the file; readers go on. */
  void renameTo(Path target) throws IOException {
    synchronized (lock) {
      Files.move(path, target);
      path = target;
    }
  }

  /** Lets go of the descriptor; the next use takes a new one. */
  void close() throws IOException {
    synchronized (lock) {
      FileChannel open = channel;
      channel = null;
      if (open != null) {
        open.close();
      }
    }
  }

  /** Closes for good: the path may soon be that of another file. */
  void retire() throws IOException {
    synchronized (lock) {
      retired = true;
      close();
    }
  }

  private FileChannel channel() throws IOException {
    FileChannel open = channel;
    if (open != null && open.isOpen()) {
      return open;
    }
    synchronized (lock) {
      if (retired) {
        throw new IOException("the log was closed or deleted");
      }
      FileChannel again = channel;
      if (again == null || !again.isOpen()) {
        again =
            FileChannel.open(
                path,
                writable
                    ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
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
