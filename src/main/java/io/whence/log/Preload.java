package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.log.PreloadPlan.Candidate;
import io.whence.model.WhenceException;
import io.whence.timeline.SegmentTimeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Holds timelines in memory, of all sources together: the newest ones, as far as there is room for
 * them. Looks at the logs from time to time and drops and loads what has to be; appenders and
 * readers never wait for it. Invariant: after each look, what is held takes no more than the
 * budget, unless that of the active segments alone does. Thread safety: thread-safe.
 */
public final class Preload {
  /** How often a start tells how far it is, at the most. */
  private static final int PROGRESS_STEPS = 20;

  /** After so many loads the logs are looked at again: they have grown meanwhile. */
  private static final int LOADS_OF_A_LOOK = 100;

  /** How many looks are let pass before a load is tried again that failed for no lasting reason. */
  private static final int PAUSE_LOOKS = 5;

  /** Held while it drops and loads; no other lock is taken before, and readers never take it. */
  private final Object turn = new Object();

  private final PreloadOptions options;
  private final PreloadEvents events;
  private final List<PreloadSource> sources = new CopyOnWriteArrayList<>();

  /** What timelines take that were read together with the summaries of their segments. */
  private final AtomicLong readAtStartBytes = new AtomicLong();

  /** What timelines take that are in no segment of a log. */
  private final AtomicLong reservedBytes = new AtomicLong();

  /** How often the logs were looked at. */
  private final AtomicLong lookCount = new AtomicLong();

  private volatile boolean stopped;
  private volatile PreloadStatus status;

  /** Makes a preload without sources. */
  public Preload(PreloadOptions options, PreloadEvents events) {
    this.options = options;
    this.events = events;
    this.status = new PreloadStatus(false, 0, 0, 0, 0, options.memoryBytes());
  }

  PreloadEvents events() {
    return events;
  }

  /** Returns what was in memory at the last look. */
  public PreloadStatus status() {
    return status;
  }

  /** Returns what the operator should know of a source whose timelines are not all in memory. */
  public Optional<String> warning() {
    PreloadStatus now = status;
    if (!now.settled() || now.unloadedCount() == 0 || options.mode() == PreloadOptions.Mode.LAZY) {
      return Optional.empty();
    }
    return Optional.of(
        now.unloadedCount()
            + " of "
            + (now.loadedCount() + now.unloadedCount())
            + " segments of all sources are not in memory, and lookups in them read the log; "
            + now.loadedBytes()
            + " bytes of whence.preload.memory="
            + now.budgetBytes()
            + " are used");
  }

  /**
   * Returns whether a segment that is opened may get its timeline at once. What that leaves of the
   * order is put right by the first look.
   */
  boolean takesAtStart(long memoryBytes) {
    if (options.mode() != PreloadOptions.Mode.ALL) {
      return false;
    }
    if (readAtStartBytes.addAndGet(memoryBytes) <= options.memoryBytes()) {
      return true;
    }
    readAtStartBytes.addAndGet(-memoryBytes);
    return false;
  }

  /**
   * Returns whether there is room for a timeline that is of no segment alone, and that nothing
   * drops again; if so, it counts from now on.
   */
  boolean reserve(long memoryBytes) {
    boolean taken = takesAtStart(memoryBytes);
    if (taken) {
      reservedBytes.addAndGet(memoryBytes);
    }
    return taken;
  }

  /** Adds a source, all logs of which are open. */
  public void add(PreloadSource source) {
    sources.add(source);
  }

  /**
   * Loads what a start waits for, newest first. What is left goes on behind, with {@link #look}.
   *
   * @param loader runs tasks that read files
   * @param threads how many of them run at a time
   * @param nowMs the clock, in epoch milliseconds
   */
  public void start(Executor loader, int threads, long nowMs) throws InterruptedException {
    synchronized (turn) {
      PreloadPlan plan = plan(nowMs);
      drop(plan.unwanted());
      new Start(plan.awaited(options, nowMs)).run(loader, threads);
      show(plan(nowMs), true);
    }
  }

  private PreloadPlan plan(long nowMs) {
    return PreloadPlan.of(sources, options, reservedBytes.get(), nowMs);
  }

  /** What a start waits for. */
  private final class Start {
    private final List<Candidate> awaited;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Map<String, AtomicInteger> doneBySource = new ConcurrentHashMap<>();
    private final Map<String, Integer> awaitedBySource = new HashMap<>();

    Start(List<Candidate> awaited) {
      this.awaited = awaited;
      for (Candidate candidate : awaited) {
        awaitedBySource.merge(candidate.source(), 1, Integer::sum);
        doneBySource.putIfAbsent(candidate.source(), new AtomicInteger());
      }
    }

    void run(Executor loader, int threads) throws InterruptedException {
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(CompletableFuture.runAsync(this::loadInOrder, loader));
      }
      try {
        CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new)).get();
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException fault
            ? fault
            : new IllegalStateException(e.getCause());
      } finally {
        next.set(awaited.size()); // If this was interrupted, no more begin.
      }
    }

    private void loadInOrder() {
      for (int i = next.getAndIncrement(); i < awaited.size(); i = next.getAndIncrement()) {
        Candidate candidate = awaited.get(i);
        if (!candidate.isLoaded() && !stopped) {
          load(candidate, Long.MAX_VALUE);
        }
        report(candidate);
      }
    }

    private void report(Candidate candidate) {
      long allBytes = bytes.addAndGet(candidate.view().slot().sizeInBytes());
      int step = Math.max(1, awaited.size() / PROGRESS_STEPS);
      String source = candidate.source();
      int ofSource = awaitedBySource.getOrDefault(source, 0);
      AtomicInteger counter =
          Objects.requireNonNull(doneBySource.get(source), "a source of a candidate");
      int doneOfSource = counter.incrementAndGet();
      if (done.incrementAndGet() % step == 0 || doneOfSource == ofSource) {
        events.progressed(source, doneOfSource, ofSource, allBytes);
      }
    }
  }

  /**
   * Drops what there is no room for, and loads some of what there is room for. Reads files.
   *
   * @param nowMs the clock, in epoch milliseconds
   * @return whether there is more to load
   */
  public boolean look(long nowMs) {
    synchronized (turn) {
      long look = lookCount.incrementAndGet();
      cutHeads();
      PreloadPlan plan = plan(nowMs);
      drop(plan.unwanted());
      long usedBytes = plan.fixedBytes() + loadedBytes(plan.wanted());
      int loads = 0;
      for (Candidate candidate : plan.wanted()) {
        boolean isDue = !candidate.isLoaded() && !candidate.files().isPaused(look);
        if (!stopped && loads < LOADS_OF_A_LOOK && isDue) {
          usedBytes += load(candidate, options.memoryBytes() - usedBytes);
          loads++;
        }
      }
      show(plan, status.settled());
      return loads == LOADS_OF_A_LOOK;
    }
  }

  /** Those that no trim or load could cut: of segments that were appended to, for example. */
  private void cutHeads() {
    for (PreloadSource source : sources) {
      for (PreloadSource.Log log : source.preloadedLogs()) {
        if (!stopped && HeadCut.due(log.snapshot()).isPresent()) {
          log.headLoaded().run();
        }
      }
    }
  }

  private static long loadedBytes(List<Candidate> candidates) {
    return candidates.stream().mapToLong(c -> c.view().slot().sizeInBytes()).sum();
  }

  @GuardedBy("turn")
  private void drop(List<Candidate> unwanted) {
    for (Candidate candidate : unwanted) {
      TimelineSlot slot = candidate.view().slot();
      if (slot.drop()) {
        events.dropped(candidate.log().partition(), candidate.view().index().baseOffset());
      }
    }
  }

  /** Loads a timeline, if it doesn't take more than there is room for. Returns what it takes. */
  private long load(Candidate candidate, long room) {
    long baseOffset = candidate.view().index().baseOffset();
    try {
      SegmentTimeline timeline = candidate.files().readTimeline();
      long bytes = timeline.sizeInBytes();
      if (bytes > room) {
        return 0; // Its size was a guess; the next look knows better.
      }
      candidate.view().slot().set(Optional.of(timeline));
      events.loaded(candidate.log().partition(), baseOffset);
      // Whether the log begins in it now: that of the plan may have begun below.
      candidate.log().headLoaded().run();
      return bytes;
    } catch (WhenceException e) {
      if (!e.reason().isRetriable()) {
        candidate.files().setTimelineUnreadable();
      } else {
        // Too many open files, perhaps: it passes.
        candidate.files().pauseTimeline(lookCount.get() + PAUSE_LOOKS);
      }
      events.failed(candidate.log().partition(), baseOffset, e);
      return 0;
    }
  }

  @GuardedBy("turn")
  private void show(PreloadPlan plan, boolean settled) {
    int loaded = plan.fixedCount();
    int unloaded = 0;
    int failed = 0;
    long bytes = plan.fixedBytes();
    for (List<Candidate> candidates : List.of(plan.wanted(), plan.unwanted())) {
      for (Candidate candidate : candidates) {
        if (candidate.isLoaded()) {
          loaded++;
          bytes += candidate.view().slot().sizeInBytes();
        } else {
          unloaded++;
          failed += candidate.files().isTimelineUnreadable() ? 1 : 0;
        }
      }
    }
    status = new PreloadStatus(settled, loaded, unloaded, failed, bytes, options.memoryBytes());
  }

  /** Begins no more loads. */
  public void stop() {
    stopped = true;
  }
}
