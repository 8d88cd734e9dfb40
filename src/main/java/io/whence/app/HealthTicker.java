package io.whence.app;

import io.whence.ops.ServerReadiness;
import io.whence.ops.ServerReadiness.Look;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Has gRPC's health say what readiness over HTTP says, at most {@link #INTERVAL} later: that one is
 * worked out when somebody asks, this one is pushed to those who watch. Once told to stop it says
 * NOT_SERVING for good. Thread safety: thread-safe.
 */
@Singleton
class HealthTicker {
  private static final Logger LOG = Logger.getLogger("io.whence");
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final ServerReadiness readiness;
  private final HealthSwitch health;
  private final ScheduledExecutorService thread =
      new PeriodicThread(new NamedThreads("whence-health"));
  private long begunNanos;
  private boolean serving;
  private boolean served;
  private boolean stopped;

  HealthTicker(ServerReadiness readiness, HealthSwitch health) {
    this.readiness = readiness;
    this.health = health;
  }

  /** Says NOT_SERVING, whatever was said before. */
  synchronized void begin() {
    begunNanos = System.nanoTime();
    health.serve(false);
  }

  /** Looks now, so that nobody waits for what is ready, and from now on. */
  void start() {
    Look look = look();
    synchronized (this) {
      if (stopped) {
        return;
      }
      if (!look.ready()) {
        LOG.infof("not ready yet: sources=%s", states(look));
      }
      ScheduledFuture<?> unused =
          thread.scheduleWithFixedDelay(
              this::tick, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void tick() {
    try {
      Look unused = look();
    } catch (RuntimeException e) {
      // Thrown on, it would be the last look.
      LOG.error("how the sources are could not be seen", e);
    }
  }

  /** Looks at the sources and tells what has changed. */
  Look look() {
    Look look = readiness.look();
    tell(look);
    return look;
  }

  private synchronized void tell(Look look) {
    if (stopped || look.ready() == serving) {
      return;
    }
    serving = look.ready();
    health.serve(serving);
    if (!serving) {
      LOG.warnf("not ready any more: sources=%s", states(look));
    } else if (served) {
      LOG.infof("ready again: sources=%s", states(look));
    } else {
      served = true;
      LOG.infof(
          "ready: sources=%s ms=%d",
          look.sources().keySet(), (System.nanoTime() - begunNanos) / 1_000_000);
    }
  }

  private static Map<String, String> states(Look look) {
    Map<String, String> states = new TreeMap<>();
    look.sources()
        .forEach(
            (name, source) -> states.put(name, source.state().name().toLowerCase(Locale.ROOT)));
    return states;
  }

  /** Says NOT_SERVING, and never anything else again. */
  synchronized void stop() {
    stopped = true;
    thread.shutdownNow();
    health.serve(false);
  }
}
