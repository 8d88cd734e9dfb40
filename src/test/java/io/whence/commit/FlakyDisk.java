package io.whence.commit;

import io.whence.log.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Random;

/** A disk that refuses some of what it is asked to do, while it is told to. Thread-safe. */
final class FlakyDisk implements Disk {
  private static final String MESSAGE = "Input/output error";

  private final Random random;
  private volatile boolean flaky;

  FlakyDisk(long seed) {
    random = new Random(seed);
  }

  void setFlaky(boolean now) {
    flaky = now;
  }

  private boolean refuses(int onceIn) {
    synchronized (random) {
      return flaky && random.nextInt(onceIn) == 0;
    }
  }

  @Override
  public int write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
    if (refuses(100)) {
      file.write(bytes.duplicate().limit(bytes.position() + bytes.remaining() / 2), position);
      throw new IOException(MESSAGE);
    }
    return file.write(bytes, position);
  }

  @Override
  public void truncate(FileChannel file, long size) throws IOException {
    if (refuses(4)) {
      throw new IOException(MESSAGE);
    }
    file.truncate(size);
  }

  @Override
  public void force(FileChannel file) throws IOException {
    if (refuses(20)) {
      throw new IOException(MESSAGE);
    }
    file.force(false);
  }
}
