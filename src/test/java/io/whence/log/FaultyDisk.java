package io.whence.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/** A disk that fails when told to, and counts what is read. Thread safety: thread-safe. */
public final class FaultyDisk implements Disk {
  /** What the operating system says when there is no room. */
  public static final String FULL = "No space left on device";

  private static final String NONE = "";

  /** Lets all reads fail. */
  volatile boolean failsReads;

  /** Runs before each force. */
  volatile Runnable beforeForce = () -> {};

  private final AtomicLong readBytes = new AtomicLong();
  private final Deque<String> writeFaults = new ArrayDeque<>();
  private final Deque<String> forceFaults = new ArrayDeque<>();
  private final Deque<String> truncateFaults = new ArrayDeque<>();

  /** Lets the next write put half of its bytes down and then fail. */
  public synchronized void failWrite(String message) {
    writeFaults.add(message);
  }

  /** Lets the next force fail. */
  public synchronized void failForce(String message) {
    forceFaults.add(message);
  }

  /** Lets the next force succeed. */
  public synchronized void passForce() {
    forceFaults.add(NONE);
  }

  /** Forgets all faults. */
  public synchronized void heal() {
    writeFaults.clear();
    forceFaults.clear();
    truncateFaults.clear();
  }

  /** Lets the next cut fail. */
  synchronized void failTruncate(String message) {
    truncateFaults.add(message);
  }

  long readBytes() {
    return readBytes.get();
  }

  void resetReadBytes() {
    readBytes.set(0);
  }

  @Override
  public int read(FileChannel file, ByteBuffer target, long position) throws IOException {
    if (failsReads) {
      throw new IOException("Too many open files");
    }
    int count = file.read(target, position);
    readBytes.addAndGet(Math.max(count, 0));
    return count;
  }

  @Override
  public int write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
    String fault = next(writeFaults);
    if (fault.isEmpty()) {
      return file.write(bytes, position);
    }
    ByteBuffer half = bytes.duplicate().limit(bytes.position() + bytes.remaining() / 2);
    file.write(half, position);
    throw new IOException(fault);
  }

  @Override
  public void force(FileChannel file) throws IOException {
    beforeForce.run();
    String fault = next(forceFaults);
    if (!fault.isEmpty()) {
      throw new IOException(fault);
    }
    file.force(false);
  }

  @Override
  public void truncate(FileChannel file, long size) throws IOException {
    String fault = next(truncateFaults);
    if (!fault.isEmpty()) {
      throw new IOException(fault);
    }
    file.truncate(size);
  }

  private synchronized String next(Deque<String> faults) {
    return faults.isEmpty() ? NONE : faults.remove();
  }
}
