package io.whence.bench.steady;

import io.whence.bench.Caller;
import io.whence.bench.Channels;
import io.whence.bench.Load;
import io.whence.bench.Machine;
import io.whence.bench.ProcessFigures;
import io.whence.bench.Sample;
import io.whence.bench.ServerMemory;
import io.whence.bench.WhenceServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Keeps up the load and looks at the server. Thread safety: single-writer.
 *
 * @param server the server
 * @param ratesPerSecond how many calls a second, by kind
 * @param windowCount how many windows
 * @param windowNanos how long each is
 */
record SteadyRun(
    WhenceServer server, Map<Kind, Double> ratesPerSecond, int windowCount, long windowNanos) {
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How often callers are looked at. */
  private static final long LOOK_NANOS = 200_000_000;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MINUTE = 60e9;

  /** Runs. */
  List<Window> windows() throws Exception {
    int threadCount = Arrays.stream(Kind.values()).mapToInt(Kind::callers).sum();
    ExecutorService threads = Executors.newFixedThreadPool(threadCount);
    try (Channels channels = Channels.open(server.port(), threadCount)) {
      SteadyTopic.create(channels.of(0));
      Map<Kind, List<PacedCaller>> callers = paced(warmedUp(channels));
      List<Future<Void>> running = new ArrayList<>();
      callers.values().forEach(all -> all.forEach(one -> running.add(threads.submit(one))));
      List<Window> windows = new ArrayList<>();
      long began = System.nanoTime();
      for (int i = 0; i < windowCount; i++) {
        awaitFailure(running, began + (i + 1) * windowNanos);
        windows.add(window(callers, began));
      }
      return windows;
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(30, TimeUnit.SECONDS);
    }
  }

  /** Returns callers that have called as fast as they can for a while, so that code is compiled. */
  private Map<Kind, List<Caller>> warmedUp(Channels channels) throws Exception {
    Map<Kind, List<Caller>> callers = new EnumMap<>(Kind.class);
    List<Caller> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (int i = 0; i < kind.callers(); i++) {
        Caller caller = kind.caller(channels.of(all.size()), i);
        callers.computeIfAbsent(kind, k -> new ArrayList<>()).add(caller);
        all.add(caller);
      }
    }
    Load.run(all, Math.min(WARM_UP_NANOS, windowNanos));
    return callers;
  }

  private Map<Kind, List<PacedCaller>> paced(Map<Kind, List<Caller>> callers) {
    Map<Kind, List<PacedCaller>> paced = new EnumMap<>(Kind.class);
    callers.forEach(
        (kind, all) -> {
          long intervalNanos = (long) (all.size() * NANOS_PER_SECOND / ratesPerSecond.get(kind));
          long now = System.nanoTime();
          List<PacedCaller> ofKind = new ArrayList<>();
          for (Caller caller : all) {
            long start = now + intervalNanos * ofKind.size() / all.size();
            ofKind.add(new PacedCaller(caller, start, intervalNanos));
          }
          paced.put(kind, ofKind);
        });
    return paced;
  }

  /** Waits until a time; fails at once if a caller does. */
  private static void awaitFailure(List<Future<Void>> running, long untilNanos) throws Exception {
    while (System.nanoTime() < untilNanos) {
      for (Future<Void> caller : running) {
        if (caller.isDone()) {
          try {
            caller.get();
          } catch (ExecutionException e) {
            throw new IllegalStateException("a call failed: " + e.getCause(), e.getCause());
          }
        }
      }
      if (Thread.interrupted()) {
        throw new InterruptedException("while load was made");
      }
      LockSupport.parkNanos(Math.min(untilNanos - System.nanoTime(), LOOK_NANOS));
    }
  }

  private Window window(Map<Kind, List<PacedCaller>> callers, long began) throws Exception {
    Map<Kind, Sample> calls = new EnumMap<>(Kind.class);
    callers.forEach(
        (kind, all) ->
            calls.put(
                kind,
                Sample.of(
                    all.stream().flatMapToLong(one -> Arrays.stream(one.take())).toArray(),
                    windowNanos)));
    ProcessFigures figures = ProcessFigures.of(server.pid());
    ServerMemory memory = ServerMemory.afterCollection(server);
    // What the collection kept waiting is no call of a steady load.
    callers.values().forEach(all -> all.forEach(PacedCaller::take));
    Window window =
        new Window(
            (System.nanoTime() - began) / NANOS_PER_MINUTE,
            calls,
            memory.heapBytes(),
            figures.residentBytes(),
            openFiles(),
            figures.threads());
    Machine.progress(
        String.format(
            Locale.ROOT,
            "%.1f min: heap %.1f MB, resident %.1f MB, lookups p99 %.2f ms",
            window.minutes(),
            window.heapBytes() / 1e6,
            window.residentBytes() / 1e6,
            calls.get(Kind.LOOKUP).p99Ms()));
    return window;
  }

  private long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc", server.pid() + "", "fd"))) {
      return files.count();
    }
  }
}
