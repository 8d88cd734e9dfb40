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
import java.util.zip.Checksum;
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
  private static final int READ_TRIES = 10;

  private final Object lock = new Object();

  /** Held while the disk works; taken after the lock of a log, never before. */
  private final Object forceLock = new Object();

  private final boolean writable;
  private final Disk disk;
  private final OpenFiles openFiles;
  private final LogEvents events;

  @GuardedBy("lock")
  private Path path;

  @GuardedBy("lock")
  private boolean retired;

  @GuardedBy("forceLock")
  private boolean forceFailed;

  /** Whether a reader has found damage; what the first one found was told. */
  private volatile boolean damaged;

  /**
   * How often the file was changed, and how many of these changes a force covers. Until that is all
   * of them the channel stays open: the failure of a write is told to this channel only.
   */
  @GuardedBy("lock")
  private long changes;

  @GuardedBy("lock")
  private long forcedChanges;

  /** How many writes, cuts and forces are under way: the channel stays open under them. */
  @GuardedBy("lock")
  private int busy;

  private volatile @Nullable FileChannel channel;

  /** A hint, set by readers and taken back by {@link #closeIfIdle}. */
  private volatile boolean used;

  SegmentFile(Path path, boolean writable) {
    this(path, writable, Disk.REAL, LogEvents.NOOP);
  }

  SegmentFile(Path path, boolean writable, Disk disk, LogEvents events) {
    this(path, writable, disk, OpenFiles.OF_PROCESS, events);
  }

  SegmentFile(Path path, boolean writable, Disk disk, OpenFiles openFiles, LogEvents events) {
    this.path = path;
    this.writable = writable;
    this.disk = disk;
    this.openFiles = openFiles;
    this.events = events;
  }

  Path path() {
    synchronized (lock) {
      return path;
    }
  }

  long size() {
    try {
      return Files.size(path());
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
    int filled = target.position();
    for (int tries = 1; ; tries++) {
      try {
        return disk.read(channel(), target, position);
      } catch (ClosedByInterruptException e) {
        throw e;
      } catch (ClosedChannelException e) {
        // Closed under this reader: by an interrupt of another one, or to stay below a limit.
        target.position(filled);
        if (tries == READ_TRIES) {
          throw e;
        }
      }
    }
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
    begin();
    try {
      FileChannel file = channel();
      long at = position;
      while (bytes.hasRemaining()) {
        at += disk.write(file, bytes, at);
      }
    } finally {
      endChange();
    }
  }

  void truncate(long size) throws IOException {
    begin();
    try {
      disk.truncate(channel(), size);
    } finally {
      endChange();
    }
  }

  /** Returns when everything that was written before is on disk. */
  void force() throws IOException {
    synchronized (forceLock) {
      if (forceFailed) {
        throw new IOException("an earlier flush failed, and nothing was cut off since");
      }
      forceFailed = true;
      forceChannel();
      forceFailed = false;
    }
  }

  private void forceChannel() throws IOException {
    long covered = begin();
    boolean forced = false;
    try {
      disk.force(channel());
      forced = true;
    } finally {
      synchronized (lock) {
        busy--;
        forcedChanges = forced ? covered : forcedChanges;
      }
    }
  }

  /** Cuts off what may not have got to the disk; what is left is there when this returns. */
  void cutTo(long size) throws IOException {
    synchronized (forceLock) {
      forceFailed = true;
      truncate(size);
      forceChannel();
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

  /**
   * Closes unless the file is being changed or forced, was used since the last call, or has
   * something that is not on disk.
   *
   * @return whether it is closed
   */
  boolean closeIfIdle() throws IOException {
    synchronized (lock) {
      if (channel != null && (used || busy > 0 || changes != forcedChanges)) {
        used = false;
        return false;
      }
      close();
      return true;
    }
  }

  /** Closes for good: the path may soon be that of another file. */
  void retire() throws IOException {
    synchronized (lock) {
      retired = true;
      close();
    }
  }

  /** Returns how many changes were made before. */
  private long begin() {
    synchronized (lock) {
      busy++;
      return changes;
    }
  }

  /** Counts a change when it is made: a force that began before need not cover it. */
  private void endChange() {
    synchronized (lock) {
      busy--;
      changes++;
    }
  }

  private FileChannel channel() throws IOException {
    used = true;
    FileChannel open = channel;
    // An interrupt of one reader closes the channel under all of them.
    if (open != null && open.isOpen()) {
      return open;
    }
    FileChannel opened = openChannel();
    openFiles.opened(this);
    return opened;
  }

  private FileChannel openChannel() throws IOException {
    synchronized (lock) {
      if (retired) {
        throw new IOException("the log was closed or deleted");
      }
      FileChannel again = channel;
      if (again == null || !again.isOpen()) {
        RegularFiles.require(path);
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

  /**
   * Says that a reader has found damage in what was whole when it was opened.
   *
   * @param position where in the file
   * @param expected what should be there
   * @param found what is there
   */
  void foundDamaged(long position, String expected, String found) {
    boolean isFirst;
    synchronized (lock) {
      isFirst = !damaged;
      damaged = true;
    }
    if (isFirst) {
      events.damaged(path(), position, expected, found);
    }
  }

  /** Returns whether a reader has found damage. */
  boolean isFoundDamaged() {
    return damaged;
  }

  private WhenceException endedEarly(long expectedSize, long size) {
    String expected = "at least " + expectedSize + " bytes";
    String found = "the end of the file";
    foundDamaged(size, expected, found);
    return WhenceException.of(
        ErrorReason.DAMAGED_LOG,
        path() + " at byte " + size + ": expected " + expected + ", found " + found,
        "path",
        path(),
        "position",
        size,
        "expected",
        expected,
        "found",
        found);
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
