package io.whence.app;

import io.quarkus.runtime.configuration.DurationConverter;
import io.whence.source.kafka.StartPoint;
import java.time.Duration;

/**
 * The text of the setting that says where the following of a cluster begins. Thread safety:
 * thread-safe.
 */
final class StartSetting {
  /** Begins at the first record that the cluster has. */
  static final String EARLIEST = "earliest";

  private static final String LATEST = "latest";

  private static final Duration LONGEST = Duration.ofDays(36_500);

  private StartSetting() {}

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException if it is none; the message says what is possible
   */
  static StartPoint parse(String text) {
    return switch (text) {
      case EARLIEST -> new StartPoint.Earliest();
      case LATEST -> new StartPoint.Latest();
      default -> new StartPoint.Ago(span(text));
    };
  }

  private static Duration span(String text) {
    try {
      Duration span = DurationConverter.parseDuration(text);
      if (span != null && !span.isNegative() && !span.isZero() && span.compareTo(LONGEST) <= 0) {
        return span;
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(message(text), e);
    }
    throw new IllegalArgumentException(message(text));
  }

  private static String message(String text) {
    return "'"
        + text
        + "' is neither earliest nor latest nor a span of time above 0, and of 36500 days at the most,"
        + " such as 7d or 12h for what is no older than that";
  }
}
