package io.whence.app;

import io.whence.commit.GroupOffsets;
import io.whence.grpc.CatalogAccess;
import io.whence.grpc.OpenSources;
import io.whence.log.FoundDamage;
import io.whence.log.PreloadSource;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.ops.LogMetrics;
import io.whence.ops.SourceStates;
import io.whence.source.LogSource;
import io.whence.source.SourceCatalog;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.State;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Opens the sources at start, in order, and closes them at the end, side by side; in between, gives
 * access to them. Until all are open there is none to ask. Thread safety: thread-safe; opening and
 * closing is single-writer.
 */
@Singleton
class Sources implements CatalogAccess, SourceStates {
  private static final Logger LOG = Logger.getLogger(Sources.class);

  private final SourcePlan plan;
  private final LogMetrics metrics;
  private final Preloading preloading;
  private final Deque<SourceLifecycle> opened = new ArrayDeque<>();
  private volatile List<String> names = List.of();
  private volatile boolean stopping;
  private volatile boolean preloaded;
  private volatile @Nullable OpenSources sources;

  Sources(SourcePlan plan, LogMetrics metrics, Preloading preloading) {
    this.plan = plan;
    this.metrics = metrics;
    this.preloading = preloading;
    metrics.watchDamages(this::damageCount);
  }

  @Override
  public OpenSources sources() {
    OpenSources open = sources;
    if (open == null) {
      throw WhenceException.of(ErrorReason.NOT_READY, "the server is still opening its sources");
    }
    return open;
  }

  @Override
  public Map<String, SourceHealth> healthByName() {
    Map<String, SourceHealth> health = new TreeMap<>();
    names.forEach(name -> health.put(name, SourceHealth.of(State.LOADING, "")));
    OpenSources open = sources;
    if (open != null && preloaded) {
      open.catalog().all().forEach(source -> health.put(source.name(), source.health()));
    }
    return health;
  }

  @Override
  public boolean isServing() {
    return preloaded && !stopping;
  }

  /** Tells health that calls should go elsewhere; those that come are still answered. */
  void stopServing() {
    stopping = true;
  }

  /** Opens all sources, in order. Calls are answered before all is preloaded, only more slowly. */
  void open() throws Exception {
    List<SourceLifecycle> planned = plan.sources();
    names = planned.stream().map(SourceLifecycle::name).toList();
    List<LogSource> logs = new ArrayList<>();
    Map<String, GroupOffsets> groups = new TreeMap<>();
    for (SourceLifecycle lifecycle : planned) {
      opened.push(lifecycle);
      logs.add(open(lifecycle));
      lifecycle.groupOffsets().ifPresent(offsets -> groups.put(lifecycle.name(), offsets));
    }
    sources = new OpenSources(new SourceCatalog(logs), groups);
    preloading.start(logs);
    preloaded = true;
  }

  private LogSource open(SourceLifecycle lifecycle) throws Exception {
    LogSource source = opened(lifecycle);
    LOG.infof(
        "source opened: source=%s kind=%s topics=%s",
        source.name(),
        source.kind(),
        source.isFollower() ? "as the cluster tells" : source.topics().size());
    source.warnings().forEach(warning -> metrics.warned(source.name(), warning));
    return source;
  }

  private static LogSource opened(SourceLifecycle lifecycle) throws Exception {
    try {
      return lifecycle.open();
    } catch (IOException | RuntimeException e) {
      throw SourceNotOpenedException.of(lifecycle.setting(), e);
    }
  }

  private int damageCount() {
    OpenSources open = sources;
    int count = 0;
    for (LogSource source : open == null ? List.<LogSource>of() : open.catalog().all()) {
      if (source instanceof PreloadSource logs) {
        count +=
            logs.preloadedLogs().stream().mapToInt(log -> FoundDamage.count(log.snapshot())).sum();
      }
    }
    return count;
  }

  /** Closes all sources; a failure of one doesn't keep the others open. */
  void close() {
    try {
      preloading.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close(opened);
    opened.clear();
  }

  /** Closes sources side by side: each may have to wait for a cluster, or for a disk. */
  static void close(Collection<SourceLifecycle> sources) {
    NamedThreads threads = new NamedThreads("whence-close");
    List<Thread> closing =
        sources.stream().map(lifecycle -> threads.newThread(() -> close(lifecycle))).toList();
    closing.forEach(Thread::start);
    try {
      for (Thread thread : closing) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // They go on as long as the process does.
    }
  }

  private static void close(SourceLifecycle lifecycle) {
    try {
      lifecycle.close();
    } catch (Exception e) {
      LOG.errorf(e, "source could not be closed: source=%s", lifecycle.name());
    }
  }
}
