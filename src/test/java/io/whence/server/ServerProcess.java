package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.testkit.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * The packaged server in a process of its own, on free loopback ports. Killed when closed, and with
 * this JVM at the latest.
 */
final class ServerProcess implements AutoCloseable {
  private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar").toAbsolutePath();
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Processes live for seconds: full compilation doesn't pay, and no test may need much memory. */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError");

  /** One for all: each has threads of its own, and what is polled is polled often. */
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Process process;
  private final Path log;
  private final Thread hook;

  private ServerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.hook = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Starts a server; returns before it is ready. */
  static ServerProcess launch(Path data, String... settings) {
    Path home = Directories.temporary("whence-process");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    // The last one of a name counts.
    command.addAll(List.of("-Dwhence.grpc.port=0", "-Dwhence.http.port=0"));
    command.add("-Dwhence.data=" + data);
    Arrays.stream(settings).map(setting -> "-D" + setting).forEach(command::add);
    command.addAll(List.of("-jar", JAR.toString()));
    Path log = home.resolve("server.log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WHENCE_"));
    try {
      return new ServerProcess(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a server and waits until it is ready. */
  static ServerProcess start(Path data, String... settings) {
    return startUntil(" ready: ", data, settings);
  }

  /** Starts a server and waits until it has opened its sources, but is not ready. */
  static ServerProcess startUnready(Path data, String... settings) {
    return startUntil(" not ready yet: ", data, settings);
  }

  private static ServerProcess startUntil(String line, Path data, String... settings) {
    ServerProcess server = launch(data, settings);
    try {
      Awaitility.await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(LIMIT)
          .failFast(
              () -> assertThat(server.process.isAlive()).as("ended:%n%s", server.log()).isTrue())
          .until(() -> server.log().contains(line) && server.log().contains("Listening on: "));
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Starts a server that must refuse; returns what it printed. */
  static String refusal(Path data, String... settings) {
    try (ServerProcess server = launch(data, settings)) {
      assertThat(server.exitCode()).as(server.log()).isEqualTo(1);
      return server.log();
    }
  }

  /** Opens a client. */
  Client client() {
    return new Client(grpcPort());
  }

  /** Opens a client, ready or not. */
  Client impatientClient() {
    return Client.impatient(grpcPort());
  }

  int grpcPort() {
    return port("gRPC listens: address=127\\.0\\.0\\.1:(\\d+)");
  }

  private int port(String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(log());
    assertThat(matcher.find()).as(log()).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  /** Fetches something over HTTP. */
  HttpResponse<String> get(String path) {
    int port = port("Listening on: http://127\\.0\\.0\\.1:(\\d+)");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(10))
            .build();
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns the sum of a metric over all its labels that match. */
  double metric(String pattern) {
    Matcher matcher =
        Pattern.compile("(?m)^" + pattern + "(?:\\{[^}]*})? (\\S+)$")
            .matcher(get("/q/metrics").body());
    double sum = 0;
    int found = 0;
    while (matcher.find()) {
      sum += Double.parseDouble(matcher.group(1));
      found++;
    }
    assertThat(found).as(pattern).isPositive();
    return sum;
  }

  /** Returns all that it printed. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Asks it to stop (SIGTERM). */
  void terminate() {
    process.destroy();
  }

  /** Waits for the end. */
  int exitCode() {
    try {
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(log()).isTrue();
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Kills it (SIGKILL) and waits until it is gone. */
  void kill() {
    process.destroyForcibly();
    exitCode();
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      kill();
    }
    Directories.delete(log.getParent());
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // This JVM ends, and the hook with it.
    }
  }
}
