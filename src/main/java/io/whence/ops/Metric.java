package io.whence.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * A metric that this server has: every one is made here, so that its name, its labels and what it
 * means are said once. docs/metrics.md is made from them. Thread safety: implementations are
 * immutable.
 */
interface Metric {
  /** From a lookup in memory to a call that gave up waiting. */
  double[] SECONDS = {
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
  };

  /** Up to what one call may ask about. */
  double[] COUNTS = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000};

  /** Returns what it is. */
  Spec spec();

  /** What is measured, and so which values a metric has. */
  enum Kind {
    /** How often something happened; {@code _total} is added to its name. */
    COUNTER("counter", "_total"),
    /** How much there is now. */
    GAUGE("gauge", ""),
    /** How often and how long; {@code _seconds} is added to its name. */
    TIMER("histogram, seconds", "_seconds"),
    /** How often and how much. */
    SUMMARY("histogram", "");

    private final String title;
    private final String suffix;

    Kind(String title, String suffix) {
      this.title = title;
      this.suffix = suffix;
    }

    /** Returns how people call it. */
    String title() {
      return title;
    }
  }

  /**
   * What a metric is.
   *
   * @param name its name here, with dots
   * @param kind what is measured
   * @param meaning what it says, in one line
   * @param labels the names of its labels
   */
  record Spec(String name, Kind kind, String meaning, List<String> labels) {
    /** Returns its name for Prometheus; histograms have it with a suffix. */
    String exposedName() {
      return name.replace('.', '_') + kind.suffix;
    }

    /** Returns labels with values, given in the order of the labels. */
    Tags tags(String... values) {
      if (values.length != labels.size()) {
        throw new IllegalArgumentException(
            name + ": expected values of " + labels + ", found " + values.length);
      }
      List<String> pairs = new ArrayList<>(2 * values.length);
      for (int i = 0; i < values.length; i++) {
        pairs.add(labels.get(i));
        pairs.add(values[i]);
      }
      return Tags.of(pairs.toArray(String[]::new));
    }

    private void require(Kind expected) {
      if (kind != expected) {
        throw new IllegalStateException(name + " is a " + kind + ", not a " + expected);
      }
    }
  }

  /** Returns the counter with these values of its labels; there from now on, if it was not. */
  default Counter counter(MeterRegistry registry, String... values) {
    spec().require(Kind.COUNTER);
    return Counter.builder(spec().name())
        .description(spec().meaning())
        .tags(spec().tags(values))
        .register(registry);
  }

  /** Returns the timer with these values of its labels; there from now on, if it was not. */
  default Timer timer(MeterRegistry registry, String... values) {
    spec().require(Kind.TIMER);
    return Timer.builder(spec().name())
        .description(spec().meaning())
        .serviceLevelObjectives(
            DoubleStream.of(SECONDS)
                .mapToObj(seconds -> Duration.ofNanos(Math.round(seconds * 1e9)))
                .toArray(Duration[]::new))
        .tags(spec().tags(values))
        .register(registry);
  }

  /** Returns the summary with these values of its labels; there from now on, if it was not. */
  default DistributionSummary summary(MeterRegistry registry, String... values) {
    spec().require(Kind.SUMMARY);
    return DistributionSummary.builder(spec().name())
        .description(spec().meaning())
        .serviceLevelObjectives(COUNTS)
        .tags(spec().tags(values))
        .register(registry);
  }

  /** Shows a value from now on, whenever somebody looks. */
  default Gauge gauge(MeterRegistry registry, DoubleSupplier value, String... values) {
    spec().require(Kind.GAUGE);
    return Gauge.builder(spec().name(), value::getAsDouble)
        .description(spec().meaning())
        .tags(spec().tags(values))
        .strongReference(true)
        .register(registry);
  }

  /** Returns all metrics, in the order of the document. */
  static List<Metric> all() {
    return Stream.<Metric[]>of(
            CallMetric.values(),
            LogMetric.values(),
            PreloadMetric.values(),
            GroupMetric.values(),
            KafkaMetric.values(),
            LagMetric.values(),
            TlsMetric.values())
        .flatMap(Stream::of)
        .toList();
  }
}
