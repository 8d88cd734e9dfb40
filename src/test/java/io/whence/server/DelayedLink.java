package io.whence.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** A way to a local port on which every byte takes its time. Thread safety: thread-safe. */
final class DelayedLink implements AutoCloseable {
  private static final int CHUNK = 64 << 10;

  private final ServerSocket listening;
  private final int target;
  private final long delayNanos;

  /**
   * Opens the link.
   *
   * @param roundTripMs how long bytes take there and back
   */
  DelayedLink(int target, int roundTripMs) throws IOException {
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.target = target;
    this.delayNanos = TimeUnit.MILLISECONDS.toNanos(roundTripMs) / 2;
    daemon(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() throws IOException {
    while (!listening.isClosed()) {
      Socket near = listening.accept();
      Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
      near.setTcpNoDelay(true);
      far.setTcpNoDelay(true);
      carry(near, far);
      carry(far, near);
    }
  }

  private void carry(Socket from, Socket to) {
    DelayQueue<Chunk> onTheWay = new DelayQueue<>();
    daemon(() -> read(from.getInputStream(), onTheWay));
    daemon(() -> write(onTheWay, to));
  }

  private void read(InputStream from, DelayQueue<Chunk> onTheWay) throws IOException {
    byte[] buffer = new byte[CHUNK];
    int read = 0;
    while (read >= 0) {
      read = from.read(buffer);
      byte[] bytes = Arrays.copyOf(buffer, Math.max(read, 0));
      onTheWay.add(new Chunk(bytes, System.nanoTime() + delayNanos));
    }
  }

  /** An empty chunk is the end. */
  private static void write(DelayQueue<Chunk> onTheWay, Socket to)
      throws IOException, InterruptedException {
    try (to) {
      OutputStream out = to.getOutputStream();
      for (Chunk chunk = onTheWay.take(); chunk.bytes().length > 0; chunk = onTheWay.take()) {
        out.write(chunk.bytes());
      }
    }
  }

  private static void daemon(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException e) {
                Thread.currentThread().interrupt(); // The link is closed; the thread ends.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }

  /** What a thread does. */
  @FunctionalInterface
  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  /**
   * Bytes on the way. Chunks of one way have different times, so they stay in order.
   *
   * @param bytes the bytes
   * @param dueNanos when they arrive
   */
  private record Chunk(byte[] bytes, long dueNanos) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.signum(dueNanos - ((Chunk) other).dueNanos);
    }
  }
}
