package io.whence.cli.demo;

import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse;
import io.whence.cli.BadInputException;
import io.whence.cli.CallFailedException;
import io.whence.cli.Client;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.SourceInfo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server in a process of its own, on a loopback port, with a temporary directory. Closing it ends
 * the process and removes the directory, also when the demo is interrupted; {@link #keep} leaves
 * both. Thread-safe.
 */
final class DemoServer implements AutoCloseable {
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 15;
  private static final long POLL_MS = 50;
  private static final int LOG_LINES_SHOWN = 30;

  private final Path directory;

  // Guarded by this, as the hook that ends the demo may run while it still starts.
  private Optional<Process> process = Optional.empty();
  private boolean finished;
  private int port;

  private DemoServer(Path directory) {
    this.directory = directory;
  }

  /** Makes the temporary directory; from now on it is removed whatever happens. */
  static DemoServer prepare() throws IOException {
    DemoServer server = new DemoServer(Files.createTempDirectory("whence-demo-"));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "demo-clean-up"));
    return server;
  }

  /**
   * Starts the process; returns before it answers.
   *
   * @param home where the launcher is
   * @param wantedPort the port, or 0 for a free one
   * @param archive the data directory to open as source {@code sample}, if there is one
   */
  synchronized void start(Path home, int wantedPort, Optional<Path> archive) throws IOException {
    if (finished) {
      throw new IOException("interrupted");
    }
    InetAddress loopback = InetAddress.getLoopbackAddress();
    int httpPort;
    try (ServerSocket grpc = bind(wantedPort);
        ServerSocket http = new ServerSocket(0, 1, loopback)) {
      port = grpc.getLocalPort();
      httpPort = http.getLocalPort();
    }
    List<String> command = new ArrayList<>();
    command.addAll(List.of(home.resolve("whence").toString(), "serve"));
    command.addAll(List.of("--data", directory.resolve("data").toString()));
    command.addAll(List.of("--bind", "127.0.0.1", "--port", String.valueOf(port)));
    command.addAll(List.of("--http-port", String.valueOf(httpPort)));
    archive.ifPresent(a -> command.addAll(List.of("--archive", "sample=" + a)));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("WHENCE_SKIP_BUILD", "1");
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("server.log").toFile());
    Process started = builder.start();
    process = Optional.of(started);
    started.getOutputStream().close();
  }

  /** Returns the server as HOST:PORT. */
  synchronized String address() {
    return "localhost:" + port;
  }

  /** Returns the id of the process. */
  synchronized long pid() {
    return process.orElseThrow().pid();
  }

  /** Returns the temporary directory. */
  Path directory() {
    return directory;
  }

  /** Returns whether it is closed or kept. */
  synchronized boolean isFinished() {
    return finished;
  }

  /**
   * Waits until the server says SERVING and all sources are ready.
   *
   * @throws IOException if it ends or isn't ready in a minute; the message has the end of its log
   */
  void awaitReady() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    Process started = running();
    try (Client client = Client.open(address(), Duration.ofSeconds(2))) {
      while (!isReady(client)) {
        if (started.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
          throw new IOException("the server ended with code " + started.exitValue() + "\n" + log());
        }
        if (System.nanoTime() - deadline > 0) {
          throw new IOException("the server is not ready after a minute\n" + log());
        }
      }
    }
  }

  /** Leaves process and directory alone from now on. */
  synchronized void keep() {
    finished = true;
  }

  @Override
  public synchronized void close() {
    if (finished) {
      return;
    }
    finished = true;
    process.ifPresent(DemoServer::end);
    remove(directory);
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Process running() {
    return process.orElseThrow();
  }

  /** Removes a directory with all that is in it; what can't be removed stays. */
  private static void remove(Path directory) {
    try {
      Files.walkFileTree(directory, new Removal());
    } catch (IOException e) {
      // A temporary directory that stays behind does no harm, and the answers are out already.
    }
  }

  private static ServerSocket bind(int port) throws IOException {
    try {
      return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    } catch (IOException | IllegalArgumentException e) {
      throw new BadInputException(
          "--port", "port " + port + " can't be used (" + e.getMessage() + "); leave out --port");
    }
  }

  private boolean isReady(Client client) {
    if (!isListening()) {
      return false;
    }
    try {
      HealthCheckResponse health =
          client.health(h -> h.check(HealthCheckRequest.getDefaultInstance()));
      return health.getStatus() == HealthCheckResponse.ServingStatus.SERVING
          && client
              .log(log -> log.listTopics(ListTopicsRequest.getDefaultInstance()))
              .getSourcesList()
              .stream()
              .allMatch(SourceInfo::getReady);
    } catch (CallFailedException e) {
      return false;
    }
  }

  /** A channel that was refused waits a second before it tries again; a socket doesn't. */
  private synchronized boolean isListening() {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private String log() throws IOException {
    List<String> lines =
        new String(Files.readAllBytes(directory.resolve("server.log")), StandardCharsets.UTF_8)
            .lines()
            .toList();
    return String.join(
        "\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
  }

  private static final class Removal extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
