package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.errors.AuthenticationException;
import org.jspecify.annotations.Nullable;

/**
 * What the I/O thread of a lane does: find out who leads, ask, wait, hand over. Whatever goes wrong
 * with the connections as a whole ends them, and new ones are made after a while. Thread safety:
 * single-writer; {@link #stop} is for any thread.
 */
final class LaneLoop implements Runnable {
  private static final long NANOS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int NO_SALT = 0;

  private final LaneParts parts;
  private final AbstractConfig config;
  private final LaneRoster roster;
  private volatile boolean stopped;
  private volatile @Nullable BrokerClient client;
  private volatile @Nullable Thread thread;
  private long holdUntilNanos = System.nanoTime();
  private int failures;
  private int refusals;

  LaneLoop(LaneParts parts, AbstractConfig config) {
    this.parts = parts;
    this.config = config;
    roster = new LaneRoster(parts);
    parts.inbox().onTask(this::wakeup);
  }

  LaneRoster roster() {
    return roster;
  }

  void stop() {
    stopped = true;
    wakeup();
  }

  private void wakeup() {
    BrokerClient current = client;
    if (current != null) {
      current.wakeup();
    }
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      while (isRunning()) {
        turn();
      }
    } finally {
      parts.inbox().close();
      end();
    }
  }

  private boolean isRunning() {
    return !stopped && !Thread.currentThread().isInterrupted();
  }

  private void turn() {
    try {
      parts.inbox().run();
      long held = holdUntilNanos - System.nanoTime();
      BrokerClient current = client;
      if (held > 0) {
        LockSupport.parkNanos(held);
      } else if (current == null) {
        client = BrokerClient.open(config, parts.limits(), this::metadataAsked);
      } else {
        fetch(current);
      }
    } catch (RuntimeException e) {
      restart(e);
    }
  }

  private void fetch(BrokerClient current) {
    long nowMs = BrokerClient.nowMs();
    roster.place(current, nowMs);
    long waitMs = roster.fetch(nowMs);
    current.poll(waitMs);
    Optional<AuthenticationException> refusal = current.refusal();
    if (roster.isWorking()) {
      failures = 0;
      refusals = 0;
    } else {
      refusal.ifPresent(this::hold);
    }
  }

  /** Too many attempts lock accounts. */
  private void hold(AuthenticationException refusal) {
    long millis = parts.limits().backoff().accessMillis(++refusals);
    holdUntilNanos = System.nanoTime() + millis * NANOS_PER_MS;
    roster.report(
        new FetchFault(
            ErrorReason.NOT_AUTHORIZED,
            "the cluster refuses the connection: " + refusal.getMessage()));
  }

  private void restart(RuntimeException failure) {
    parts.events().laneFailed(parts.name(), failure);
    long millis = parts.limits().backoff().millis(++failures, NO_SALT);
    holdUntilNanos = System.nanoTime() + millis * NANOS_PER_MS;
    roster.report(
        new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "no connections: " + failure.getMessage()));
    roster.leaveAll();
    closeClient();
  }

  private void end() {
    BrokerClient current = client;
    try {
      if (current != null) {
        roster.closeSessions(current);
      }
    } catch (RuntimeException e) {
      parts.events().laneFailed(parts.name(), e);
    } finally {
      closeClient();
    }
  }

  private void closeClient() {
    BrokerClient current = client;
    client = null;
    if (current != null) {
      try {
        current.close();
      } catch (RuntimeException e) {
        parts.events().laneFailed(parts.name(), e);
      }
    }
  }

  private void metadataAsked() {
    parts.events().metadataAsked(parts.name());
  }
}
