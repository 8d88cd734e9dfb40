package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.whence.commit.LagFindings;
import io.whence.commit.TopicLag;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Shows the lags of the groups of one source as metrics: at most so many series, whatever there is.
 * What is shown keeps its place for as long as it is there; the rest is shown as one. Thread
 * safety: single-writer, but for {@link #close}; metrics are read by any thread.
 */
public final class LagBoard implements AutoCloseable {
  private static final String OTHER = "_other";
  private static final Series REST = new Series(OTHER, OTHER);
  private static final double MS_PER_SECOND = 1_000;

  private final int maxSeries;
  private final MeterRegistry registry;
  private final MultiGauge messages;
  private final MultiGauge seconds;
  private final Timer looks;
  private final Counter failedLooks;
  private final List<Meter> meters;

  /** What is shown, in the order in which it came. */
  private Map<Series, Shown> shown = new LinkedHashMap<>();

  private volatile int folded;
  private volatile int unknownPartitions;
  private volatile int failedGroups;
  private boolean closed;

  /** What a series is about. */
  private record Series(String group, String topic) {
    Tags tags() {
      return Tags.of("group", group, "topic", topic);
    }
  }

  /** The values of a series; they stay the same object, or a scrape could miss them. */
  private static final class Shown {
    private volatile double messages;
    private volatile double seconds = Double.NaN;

    double messages() {
      return messages;
    }

    double seconds() {
      return seconds;
    }
  }

  LagBoard(String source, int maxSeries, MeterRegistry registry) {
    if (maxSeries < 1) {
      throw new IllegalArgumentException("maxSeries: " + maxSeries);
    }
    this.maxSeries = maxSeries;
    this.registry = registry;
    messages = board(LagMetric.MESSAGES, source);
    seconds = board(LagMetric.SECONDS, source);
    looks = LagMetric.LOOK.timer(registry, source);
    failedLooks = LagMetric.FAILED_LOOKS.counter(registry, source);
    meters =
        List.of(
            looks,
            failedLooks,
            LagMetric.FOLDED.gauge(registry, () -> folded, source),
            LagMetric.UNKNOWN_PARTITIONS.gauge(registry, () -> unknownPartitions, source),
            LagMetric.FAILED_GROUPS.gauge(registry, () -> failedGroups, source));
  }

  /** Rows add the labels that tell them apart. */
  private MultiGauge board(LagMetric metric, String source) {
    return MultiGauge.builder(metric.spec().name())
        .description(metric.spec().meaning())
        .tags(Tags.of("source", source))
        .register(registry);
  }

  /**
   * Shows what a look came to; what it doesn't tell of is shown no longer.
   *
   * @param nanos how long the look took
   */
  public void show(LagFindings findings, long nanos) {
    looks.record(nanos, TimeUnit.NANOSECONDS);
    unknownPartitions = findings.unknownPartitions();
    failedGroups = findings.failedGroups();
    show(findings.lags());
  }

  /** Shows that a look failed: nothing is known now. */
  public void failed() {
    failedLooks.increment();
    unknownPartitions = 0;
    failedGroups = 0;
    show(List.of());
  }

  private synchronized void show(List<TopicLag> lags) {
    if (closed) {
      return; // A look that took too long to wait for it.
    }
    Map<Series, TopicLag> now = new LinkedHashMap<>();
    lags.forEach(lag -> now.put(new Series(lag.group(), lag.topic()), lag));
    List<Series> named = named(now);
    Map<Series, Shown> next = new LinkedHashMap<>();
    for (Series series : named) {
      TopicLag lag = now.remove(series);
      if (lag != null) {
        set(next, series, lag);
      }
    }
    folded = now.size();
    if (!now.isEmpty()) {
      set(next, REST, sum(now.values()));
    }
    shown = next;
    publish();
  }

  /**
   * Returns the series that are shown by name: those that were, and as many more as there is room.
   */
  private List<Series> named(Map<Series, TopicLag> now) {
    boolean fits = now.size() <= maxSeries && !now.containsKey(REST);
    int room = fits ? maxSeries : maxSeries - 1;
    List<Series> named = new ArrayList<>();
    for (Series series : shown.keySet()) {
      if (named.size() < room && now.containsKey(series) && !series.equals(REST)) {
        named.add(series);
      }
    }
    for (Series series : now.keySet()) {
      if (named.size() < room && !shown.containsKey(series) && !series.equals(REST)) {
        named.add(series);
      }
    }
    return named;
  }

  private void set(Map<Series, Shown> next, Series series, TopicLag lag) {
    Shown values = shown.getOrDefault(series, new Shown());
    values.messages = (double) lag.messages();
    values.seconds =
        lag.stalenessMs().isPresent() ? lag.stalenessMs().getAsLong() / MS_PER_SECOND : Double.NaN;
    next.put(series, values);
  }

  private static TopicLag sum(Iterable<TopicLag> lags) {
    long messageCount = 0;
    long waitingMs = -1;
    for (TopicLag lag : lags) {
      long sum = messageCount + lag.messages();
      messageCount = sum < 0 ? Long.MAX_VALUE : sum;
      waitingMs = Math.max(waitingMs, lag.waitingMs());
    }
    return new TopicLag(OTHER, OTHER, messageCount, waitingMs);
  }

  private void publish() {
    List<MultiGauge.Row<?>> messageRows = new ArrayList<>();
    List<MultiGauge.Row<?>> secondRows = new ArrayList<>();
    shown.forEach(
        (series, values) -> {
          messageRows.add(MultiGauge.Row.of(series.tags(), values, Shown::messages));
          if (!Double.isNaN(values.seconds())) {
            secondRows.add(MultiGauge.Row.of(series.tags(), values, Shown::seconds));
          }
        });
    // Rows that are there already stay registered as they are, and those that are not given go.
    messages.register(messageRows, false);
    seconds.register(secondRows, false);
  }

  /** Shows nothing any more. */
  @Override
  public synchronized void close() {
    show(List.of());
    closed = true;
    meters.forEach(registry::remove);
  }
}
