package io.whence.bench.data;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A data directory that this JVM has open. Thread safety: immutable.
 *
 * @param source the logs
 * @param opener opens them
 * @param scheduler deletes their files, in a day
 */
public record OpenData(
    EmbeddedSource source, ExecutorService opener, ScheduledExecutorService scheduler)
    implements AutoCloseable {
  /** Opens a directory, and makes one if there is none. */
  public static OpenData open(Path data) throws IOException {
    ExecutorService opener =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors() * 2);
    ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    try {
      EmbeddedOptions options =
          new EmbeddedOptions(
              data,
              InstantSource.system(),
              Runnable::run,
              opener,
              scheduler,
              Duration.ofDays(1),
              Duration.ofDays(1),
              LogEvents.NOOP,
              LogMemory.usual());
      return new OpenData(EmbeddedSource.open("load", options), opener, scheduler);
    } catch (IOException | RuntimeException e) {
      opener.shutdownNow();
      scheduler.shutdownNow();
      throw e;
    }
  }

  /** Closes it in order, so that everything is on disk. */
  @Override
  public void close() throws IOException {
    try {
      source.close();
    } finally {
      scheduler.shutdownNow();
      opener.shutdownNow();
    }
  }
}
