package io.whence.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The operations on .log files that a disk can fail. A port: tests fail them on purpose and count
 * what is read. Thread safety: thread-safe.
 */
public interface Disk {
  /** The disk of the operating system. */
  Disk REAL = new Disk() {};

  /** Reads some bytes; returns how many, negative at the end of the file. */
  default int read(FileChannel file, ByteBuffer target, long position) throws IOException {
    return file.read(target, position);
  }

  /** Writes some bytes; returns how many. */
  default int write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
    return file.write(bytes, position);
  }

  /** Cuts a file. */
  default void truncate(FileChannel file, long size) throws IOException {
    file.truncate(size);
  }

  /** Returns when everything that was written before is on disk. */
  default void force(FileChannel file) throws IOException {
    file.force(false);
  }
}
