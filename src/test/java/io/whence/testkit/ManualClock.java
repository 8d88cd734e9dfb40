package io.whence.testkit;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands until it is moved. Thread safety: thread-safe. */
public final class ManualClock implements InstantSource {
  private final AtomicLong nowMs;

  /** Makes a clock that shows a time in epoch milliseconds. */
  public ManualClock(long nowMs) {
    this.nowMs = new AtomicLong(nowMs);
  }

  /** Moves the clock on. */
  public void advance(long byMs) {
    nowMs.addAndGet(byMs);
  }

  @Override
  public long millis() {
    return nowMs.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(nowMs.get());
  }
}
