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
import java.util.concurrent.atomic.AtomicBoolean;

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

  private final AtomicBoolean finished = new AtomicBoolean();
  private final Path directory;
  private final Process process;
  private final int port;

  private DemoServer(Path directory, Process process, int port) {
    this.directory = directory;
    this.process = process;
    this.port = port;
  }

  /**
   * Starts a server; returns before it answers.
   *
   * @param home where the launcher is
   * @param directory the temporary directory; removed when the server is closed
   * @param port the port, or 0 for a free one
   * @param archive the data directory to open as source {@code sample}, if there is one
   */
  static DemoServer start(Path home, Path directory, int port, Optional<Path> archive)
      throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    int grpcPort;
    int httpPort;
    try (ServerSocket grpc = bind(port);
        ServerSocket http = new ServerSocket(0, 1, loopback)) {
      grpcPort = grpc.getLocalPort();
      httpPort = http.getLocalPort();
    }
    List<String> command = new ArrayList<>();
    command.addAll(List.of(home.resolve("whence").toString(), "serve"));
    command.addAll(List.of("--data", directory.resolve("data").toString()));
    command.addAll(List.of("--bind", "127.0.0.1", "--port", String.valueOf(grpcPort)));
    command.addAll(List.of("--http-port", String.valueOf(httpPort)));
    archive.ifPresent(a -> command.addAll(List.of("--archive", "sample=" + a)));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("WHENCE_SKIP_BUILD", "1");
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("server.log").toFile());
    Process process = builder.start();
    process.getOutputStream().close();
    DemoServer server = new DemoServer(directory, process, grpcPort);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "demo-clean-up"));
    return server;
  }

  /** Returns the server as HOST:PORT. */
  String address() {
    return "localhost:" + port;
  }

  /** Returns the id of the process. */
  long pid() {
    return process.pid();
  }

  /** Returns the temporary directory. */
  Path directory() {
    return directory;
  }

  /**
   * Waits until the server says SERVING and all sources are ready.
   *
   * @throws IOException if it ends or isn't ready in a minute; the message has the end of its log
   */
  void awaitReady() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    try (Client client = Client.open("127.0.0.1:" + port, Duration.ofSeconds(2))) {
      while (!isReady(client)) {
        if (process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
          throw new IOException("the server ended with code " + process.exitValue() + "\n" + log());
        }
        if (System.nanoTime() - deadline > 0) {
          throw new IOException("the server is not ready after a minute\n" + log());
        }
      }
    }
  }

  /** Leaves process and directory alone from now on. */
  void keep() {
    finished.set(true);
  }

  @Override
  public void close() {
    if (!finished.compareAndSet(false, true)) {
      return;
    }
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    remove(directory);
  }

  /** Removes a directory with all that is in it; what can't be removed stays. */
  static void remove(Path directory) {
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
  private boolean isListening() {
    try (java.net.Socket socket = new java.net.Socket("127.0.0.1", port)) {
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
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(
        Path directory, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
      Files.delete(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
