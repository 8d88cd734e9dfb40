package io.whence.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The packaged server in a process of its own, on free loopback ports, with the memory that a Kafka
 * broker has by default. Ends when closed, and with this JVM. Thread safety: thread-safe.
 */
public final class WhenceServer implements AutoCloseable {
  private static final Pattern PORT =
      Pattern.compile("gRPC listens: address=127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern HTTP_PORT =
      Pattern.compile("Listening on: http://127\\.0\\.0\\.1:(\\d+)");
  private static final Pattern READY = Pattern.compile(" ready: .*\\bms=(\\d+)");
  private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(300);
  private static final int STOP_LIMIT_SECONDS = 60;
  private static final int POLL_MS = 5;

  private final Process process;
  private final Path log;
  private final Thread hook;
  private long startedNanos;

  private WhenceServer(Process process, Path log) {
    this.process = process;
    this.log = log;
    hook = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a server and waits until it is ready.
   *
   * @param data the data directory
   * @param settings further settings, such as {@code whence.limits.calls-in-flight=10}
   */
  public static WhenceServer start(Path data, String... settings) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Machine.SERVER_OPTIONS);
    command.add("-Dwhence.data=" + data);
    command.addAll(List.of("-Dwhence.grpc.port=0", "-Dwhence.http.port=0"));
    for (String setting : settings) {
      command.add("-D" + setting);
    }
    command.addAll(List.of("-jar", System.getProperty("whence.jar")));
    Path log = data.resolveSibling(data.getFileName() + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(data.toAbsolutePath().getParent().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("WHENCE_"));
    try {
      long began = System.nanoTime();
      WhenceServer server = new WhenceServer(builder.start(), log);
      server.awaitStart(began);
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitStart(long began) {
    try {
      while (startedNanos == 0 || !HTTP_PORT.matcher(log()).find()) {
        if (startedNanos == 0 && READY.matcher(log()).find()) {
          startedNanos = System.nanoTime() - began;
        }
        if (!process.isAlive()) {
          throw new IllegalStateException("the server ended:\n" + log());
        }
        if (System.nanoTime() - began > START_LIMIT_NANOS) {
          throw new IllegalStateException("the server is not ready yet:\n" + log());
        }
        process.waitFor(POLL_MS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the server starts", e);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Returns where gRPC listens. */
  public int port() {
    return Integer.parseInt(found(PORT));
  }

  /** Returns where HTTP listens: health and metrics. */
  public int httpPort() {
    return Integer.parseInt(found(HTTP_PORT));
  }

  /** Returns how long it took to open the sources, by the server's own log. */
  public long openMs() {
    return Long.parseLong(found(READY));
  }

  /** Returns how long it took from the start of the process until it was ready. */
  public long startMs() {
    return TimeUnit.NANOSECONDS.toMillis(startedNanos);
  }

  /** Returns the process. */
  public long pid() {
    return process.pid();
  }

  private String found(Pattern pattern) {
    Matcher matcher = pattern.matcher(log());
    if (!matcher.find()) {
      throw new IllegalStateException("the server doesn't say " + pattern + ":\n" + log());
    }
    return matcher.group(1);
  }

  private String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops it in order, so that everything is on disk. */
  public void stop() {
    process.destroy();
    awaitEnd();
  }

  /** Kills it, if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly();
    awaitEnd();
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the server lives on:\n" + log());
      }
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      // This JVM ends, and the hook with it.
      if (process.isAlive()) {
        throw e;
      }
    }
  }
}
