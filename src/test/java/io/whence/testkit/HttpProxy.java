package io.whence.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * An HTTP/2 proxy of Debian's packages in front of a gRPC server, in a process of its own. It is
 * installed when it is not there yet, which needs root. Its settings are those of
 * docs/transport.md. Single-writer.
 */
public final class HttpProxy implements AutoCloseable {
  private static final Duration INSTALL_LIMIT = Duration.ofMinutes(5);
  private static final Duration START_LIMIT = Duration.ofSeconds(20);

  private final Process process;
  private final Path directory;
  private final int port;

  private HttpProxy(Process process, Path directory, int port) {
    this.process = process;
    this.directory = directory;
    this.port = port;
  }

  /** A proxy that there is. */
  public enum Kind {
    /** Takes a connection to the server for each call, and keeps it for the next. */
    NGINX("nginx-light", "nginx", List.of("-p", ".", "-e", "error.log", "-c"), NGINX_SETTINGS),
    /** Puts the calls of all clients on few connections, so that they are neighbours. */
    HAPROXY("haproxy", "haproxy", List.of("-db", "-f"), HAPROXY_SETTINGS);

    private final String debianPackage;
    private final String program;
    private final List<String> options;
    private final String settings;

    Kind(String debianPackage, String program, List<String> options, String settings) {
      this.debianPackage = debianPackage;
      this.program = program;
      this.options = options;
      this.settings = settings;
    }
  }

  private static final String NGINX_SETTINGS =
      """
      daemon off;
      pid %1$s/nginx.pid;
      worker_processes 1;
      events { worker_connections 1024; }
      http {
        access_log off;
        client_body_temp_path %1$s/body;
        proxy_temp_path %1$s/proxy;
        fastcgi_temp_path %1$s/fastcgi;
        uwsgi_temp_path %1$s/uwsgi;
        scgi_temp_path %1$s/scgi;
        %2$s
      }
      """;

  private static final String HAPROXY_SETTINGS =
      """
      # In %1$s.
      global
        maxconn 1000
      %2$s
      """;

  /** Returns what the documentation tells users to set, for these ports. */
  private static String documented(Kind kind, int serverPort, int port) throws IOException {
    String text = Files.readString(Build.directory().resolve("docs/transport.md"));
    String fence = "```" + kind.program + "\n";
    String block = text.substring(text.indexOf(fence) + fence.length());
    return block
        .substring(0, block.indexOf("```"))
        .replace("10.0.0.1:9000", "127.0.0.1:" + serverPort)
        .replaceAll("(?<=listen |bind ):?9000", "127.0.0.1:" + port);
  }

  /** Starts a proxy; returns when it listens. */
  public static HttpProxy start(Kind kind, int serverPort) {
    Path program = installed(kind);
    Path directory = Directories.temporary("whence-proxy");
    try {
      int port = FreePorts.next();
      Path settings = directory.resolve("settings");
      Files.writeString(
          settings, kind.settings.formatted(directory, documented(kind, serverPort, port)));
      List<String> command =
          Stream.of(List.of(program.toString()), kind.options, List.of(settings.toString()))
              .flatMap(List::stream)
              .toList();
      Process process =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("output").toFile())
              .start();
      HttpProxy proxy = new HttpProxy(process, directory, port);
      proxy.awaitListening();
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the port that it listens on. */
  public int port() {
    return port;
  }

  private void awaitListening() {
    try {
      Awaitility.await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(START_LIMIT)
          .failFast(() -> !process.isAlive())
          .until(this::isListening);
    } catch (RuntimeException e) {
      IllegalStateException failure = new IllegalStateException("no proxy: " + output(), e);
      close();
      throw failure;
    }
  }

  private boolean isListening() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private String output() {
    try {
      return Files.readString(directory.resolve("output"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static Path installed(Kind kind) {
    return found(kind)
        .findFirst()
        .orElseGet(
            () -> {
              install(kind);
              return found(kind)
                  .findFirst()
                  .orElseThrow(
                      () -> new IllegalStateException(kind.debianPackage + " has no program"));
            });
  }

  private static Stream<Path> found(Kind kind) {
    return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin")
        .map(directory -> Path.of(directory, kind.program))
        .filter(Files::isExecutable);
  }

  private static synchronized void install(Kind kind) {
    try {
      aptGet("install", "-y", "-q", "--no-install-recommends", kind.debianPackage);
    } catch (IllegalStateException outdatedLists) {
      try {
        aptGet("update", "-q");
        aptGet("install", "-y", "-q", "--no-install-recommends", kind.debianPackage);
      } catch (IllegalStateException e) {
        throw new IllegalStateException(
            kind.program
                + " is needed and can't be installed: apt-get install "
                + kind.debianPackage
                + " (as root, on Debian)",
            e);
      }
    }
  }

  private static void aptGet(String... arguments) {
    // In this run level the package doesn't start a service of its own.
    List<String> environment = List.of("env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1");
    List<String> command =
        Stream.of(environment, List.of("apt-get"), List.of(arguments))
            .flatMap(List::stream)
            .toList();
    Command.run(command, Path.of("/"), INSTALL_LIMIT);
  }

  @Override
  public void close() {
    List<ProcessHandle> workers = process.descendants().toList();
    process.destroy();
    workers.forEach(ProcessHandle::destroy);
    try {
      process.onExit().get(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      process.destroyForcibly();
    }
    Directories.delete(directory);
  }
}
