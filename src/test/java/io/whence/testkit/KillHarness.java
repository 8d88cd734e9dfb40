package io.whence.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs a main class on the class path of the tests in a JVM of its own, listens to what it prints,
 * and kills it with SIGKILL. A line counts only if it is whole: what the child printed, it had
 * done. Thread safety: single-writer.
 *
 * <pre>{@code
 * KillHarness harness = new KillHarness(Writer.class, List.of(dir.toString()), dir.resolve("err"));
 * for (int round = 0; round < 200; round++) {
 *   Duration after = Duration.ofNanos(random.nextLong(Duration.ofMillis(300).toNanos()));
 *   KillHarness.Round killed = harness.killAfterFirstLine(after);
 *   // Everything in killed.lines() must be found on disk.
 * }
 * }</pre>
 */
public final class KillHarness {
  private static final Duration FIRST_LINE_LIMIT = Duration.ofSeconds(60);

  /** Full compilation does not pay in a life of a second. */
  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Class<?> mainClass;
  private final List<String> args;
  private final Path errorFile;

  /**
   * Makes a harness.
   *
   * @param mainClass the class whose {@code main} prints one line for everything it has done
   * @param args its arguments
   * @param errorFile where standard error of all rounds is appended
   */
  public KillHarness(Class<?> mainClass, List<String> args, Path errorFile) {
    this.mainClass = mainClass;
    this.args = List.copyOf(args);
    this.errorFile = errorFile;
  }

  /**
   * One life of the child.
   *
   * @param lines the whole lines that it printed
   * @param killed whether it was killed; else it had ended by itself
   */
  public record Round(List<String> lines, boolean killed) {
    /** Copies the list. */
    public Round {
      lines = List.copyOf(lines);
    }
  }

  /**
   * Starts the child, waits for its first line, gives it more time, and kills it.
   *
   * @param more how long it lives after its first line
   * @throws IllegalStateException if it fails, with its standard error
   */
  public Round killAfterFirstLine(Duration more) {
    return killAfterLines(1, more);
  }

  /**
   * Starts the child, waits for a number of lines, gives it more time, and kills it.
   *
   * @param lineCount how many lines to wait for
   * @param more how long it lives after these
   * @throws IllegalStateException if it fails, or is silent for a minute, with its standard error
   */
  public Round killAfterLines(int lineCount, Duration more) {
    try (ChildJvm child = start()) {
      Listener listener = Listener.to(child.process().getInputStream());
      List<String> lines = new ArrayList<>();
      boolean isOver = false;
      while (!isOver && lines.size() < lineCount) {
        Optional<String> line = listener.next(FIRST_LINE_LIMIT);
        line.ifPresent(lines::add);
        isOver = line.isEmpty();
      }
      boolean ended = child.waitFor(isOver ? FIRST_LINE_LIMIT : more);
      child.kill();
      boolean hasFailed = ended ? child.process().exitValue() != 0 : isOver;
      if (hasFailed) {
        throw new IllegalStateException(mainClass.getName() + " failed:\n" + errors());
      }
      if (!isOver) {
        listener.drainTo(lines);
      }
      return new Round(lines, !ended);
    }
  }

  private ChildJvm start() {
    return ChildJvm.start(
        System.getProperty("java.class.path"),
        JVM_OPTIONS,
        mainClass.getName(),
        args,
        ProcessBuilder.Redirect.PIPE,
        errorFile);
  }

  private String errors() {
    try {
      return Files.exists(errorFile) ? Files.readString(errorFile) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads whole lines on a thread of its own, so that a full pipe never stops the child. An empty
   * value marks the end.
   */
  private record Listener(BlockingQueue<Optional<String>> lines) {
    static Listener to(InputStream output) {
      Listener listener = new Listener(new LinkedBlockingQueue<>());
      Thread thread = new Thread(() -> listener.readAll(output), "child-listener");
      thread.setDaemon(true);
      thread.start();
      return listener;
    }

    private void readAll(InputStream output) {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      try (InputStream in = new BufferedInputStream(output)) {
        for (int b = in.read(); b >= 0; b = in.read()) {
          if (b == '\n') {
            lines.add(Optional.of(line.toString(StandardCharsets.UTF_8)));
            line.reset();
          } else {
            line.write(b);
          }
        }
      } catch (IOException e) {
        // The pipe of a killed process may break instead of ending.
      } finally {
        lines.add(Optional.empty());
      }
    }

    /** Returns the next line; empty at the end, or when none comes within the limit. */
    Optional<String> next(Duration limit) {
      try {
        Optional<String> line = lines.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
        return line == null ? Optional.empty() : line;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while listening to a child", e);
      }
    }

    /** Adds everything up to the end. The child must be gone. */
    void drainTo(List<String> target) {
      for (Optional<String> line = next(FIRST_LINE_LIMIT);
          line.isPresent();
          line = next(FIRST_LINE_LIMIT)) {
        target.add(line.get());
      }
    }
  }
}
