package io.whence.bench.commit;

import io.whence.bench.Caller;
import io.whence.bench.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToIntFunction;

/**
 * One thread that appends to a file and forces it, as a commit does: the least that a durable
 * commit can cost. Thread safety: immutable.
 *
 * @param directory where the file is, on the disk of the servers
 * @param bytes how much to append in a cell
 */
record FsyncPeer(Path directory, ToIntFunction<Cell> bytes) implements Peer {
  /** As segments of the offsets topic do, the file begins anew at this size. */
  private static final long SEGMENT_BYTES = 8 << 20;

  @Override
  public String name(Cell cell) {
    return String.format("fsync of %,d bytes, 1 thread", bytes.applyAsInt(cell));
  }

  @Override
  public boolean isBrief() {
    return true;
  }

  @Override
  public Session open(Cell cell) {
    Appender appender = new Appender(directory, bytes.applyAsInt(cell));
    return new Session() {
      @Override
      public List<Appender> callers() {
        return List.of(appender);
      }

      @Override
      public void close() {
        appender.close();
      }
    };
  }

  /** Appends and forces. Thread safety: single-writer. */
  private static final class Appender implements Caller {
    private final Path directory;
    private final ByteBuffer bytes;
    private Path path;
    private FileChannel file;
    private long position;

    Appender(Path directory, int size) {
      byte[] random = new byte[size];
      ThreadLocalRandom.current().nextBytes(random);
      this.directory = directory;
      bytes = ByteBuffer.wrap(random);
      path = create();
      file = open();
    }

    private Path create() {
      try {
        return Files.createTempFile(directory, "fsync", ".log");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private FileChannel open() {
      try {
        return FileChannel.open(path, StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void prepare() {
      if (position + bytes.capacity() > SEGMENT_BYTES) {
        close();
        path = create();
        file = open();
        position = 0;
      }
      bytes.clear();
    }

    @Override
    public void call() throws IOException {
      while (bytes.hasRemaining()) {
        position += file.write(bytes, position);
      }
      file.force(false);
    }

    @Override
    public void check() {
      if (bytes.hasRemaining()) {
        throw new IllegalStateException("not written: " + bytes.remaining());
      }
    }

    void close() {
      try {
        file.close();
        Files.delete(path);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
