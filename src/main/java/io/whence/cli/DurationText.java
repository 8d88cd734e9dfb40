package io.whence.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Spans of time as people write them: {@code 2h}, {@code 1h30m}, {@code 3 days}, {@code PT2H}.
 * Immutable.
 */
final class DurationText {
  private static final Pattern PARTS = Pattern.compile("(?:\\s*\\d{1,18}\\s*[a-z]+\\s*)+");
  private static final Pattern PART = Pattern.compile("(\\d{1,18})\\s*([a-z]+)");

  private DurationText() {}

  /** Reads a span of 0 or more; empty if the text isn't one. A day has 24 hours. */
  static Optional<Duration> parse(String text) {
    String plain = text.strip().toLowerCase(Locale.ROOT);
    try {
      Optional<Duration> span =
          plain.startsWith("p") ? Optional.of(Duration.parse(plain)) : parts(plain);
      return span.filter(d -> !d.isNegative());
    } catch (DateTimeException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static Optional<Duration> parts(String text) {
    if (!PARTS.matcher(text).matches()) {
      return Optional.empty();
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      Optional<Duration> unit = unit(part.group(2));
      if (unit.isEmpty()) {
        return Optional.empty();
      }
      sum = sum.plus(unit.get().multipliedBy(Long.parseLong(part.group(1))));
    }
    return Optional.of(sum);
  }

  private static Optional<Duration> unit(String name) {
    return switch (name) {
      case "ms" -> Optional.of(Duration.ofMillis(1));
      case "s", "sec", "second", "seconds" -> Optional.of(Duration.ofSeconds(1));
      case "m", "min", "minute", "minutes" -> Optional.of(Duration.ofMinutes(1));
      case "h", "hour", "hours" -> Optional.of(Duration.ofHours(1));
      case "d", "day", "days" -> Optional.of(Duration.ofDays(1));
      case "w", "week", "weeks" -> Optional.of(Duration.ofDays(7));
      default -> Optional.empty();
    };
  }
}
