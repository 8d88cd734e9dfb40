package io.whence.ops;

import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.State;
import jakarta.inject.Singleton;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether calls should be sent here, for whoever tells it: ready once no source is loading any more
 * and one answers; from then on for as long as anything is answered. Thread safety: thread-safe.
 */
@Singleton
public class ServerReadiness {
  private final SourceStates states;

  /** Whether it was ready before: a cluster that comes back is no reason to send calls away. */
  private volatile boolean wasReady;

  /** Looks at the sources that are given. */
  public ServerReadiness(SourceStates states) {
    this.states = states;
  }

  /** Looks at the sources. */
  public Look look() {
    Map<String, SourceHealth> sources = states.healthByName();
    boolean serving = sources.values().stream().anyMatch(SourceHealth::isServing);
    boolean loading = sources.values().stream().anyMatch(one -> one.state() == State.LOADING);
    boolean ready = states.isServing() && serving && (wasReady || !loading);
    if (ready) {
      wasReady = true; // Never back: several look at once.
    }
    return new Look(ready, sources);
  }

  /**
   * What was seen. Immutable.
   *
   * @param ready whether calls should be sent here
   * @param sources how well each source answers, by name
   */
  public record Look(boolean ready, Map<String, SourceHealth> sources) {
    /** Takes a copy of the sources. */
    public Look {
      sources = Collections.unmodifiableMap(new TreeMap<>(sources));
    }
  }
}
