package io.whence.grpc;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the texts of times: RFC 3339 with an offset, and ISO 8601 dates and times without one.
 * Strict, and the same in every locale. Failures are {@link DateTimeException}s with a message for
 * people that starts with the text.
 */
final class Rfc3339 {
  private static final Pattern INSTANT =
      Pattern.compile(
          "([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]+)?)"
              + "([Zz]|[+-][0-9]{2}:[0-9]{2})?");
  private static final Pattern LOCAL =
      Pattern.compile(
          "([0-9]{4})-([0-9]{2})-([0-9]{2})"
              + "(?:[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\\.([0-9]+))?)?)?");
  private static final int MAX_FRACTION_DIGITS = 9;

  private Rfc3339() {}

  /** Reads a text such as {@code 2024-03-09T14:00:00+08:00}. */
  static Instant instant(String text) {
    Matcher matcher = INSTANT.matcher(text);
    if (!matcher.matches()) {
      throw new DateTimeException(
          quoted(text) + " is not RFC 3339 text, such as 2024-03-09T14:00:00+08:00");
    }
    if (matcher.group(2) == null) {
      throw new DateTimeException(
          quoted(text) + " has no offset; add one such as +08:00, or use local_time with a zone");
    }
    LocalDateTime local = local(text, matcher.group(1)).dateTime();
    return local.toInstant(ZoneOffset.UTC).minusSeconds(offsetSeconds(text, matcher.group(2)));
  }

  /** Reads a text such as {@code 2024-03-09T14:00:00}, {@code 2024-03-09T14:00} or a date alone. */
  static Local local(String text) {
    return local(text, text);
  }

  private static Local local(String text, String part) {
    Matcher matcher = LOCAL.matcher(part);
    if (!matcher.matches()) {
      throw new DateTimeException(quoted(text) + localProblem(text));
    }
    try {
      LocalDate date = LocalDate.of(number(matcher, 1), number(matcher, 2), number(matcher, 3));
      return matcher.group(4) == null
          ? new Local(date.atStartOfDay(), true)
          : new Local(date.atTime(time(text, matcher)), false);
    } catch (DateTimeException e) {
      throw new DateTimeException(
          e.getMessage() != null && e.getMessage().startsWith("'")
              ? e.getMessage()
              : quoted(text) + " does not exist: " + e.getMessage(),
          e);
    }
  }

  private static String localProblem(String text) {
    return INSTANT.matcher(text).matches()
        ? " has an offset; use rfc3339 for it, or leave the offset out"
        : " is not an ISO 8601 date and time, such as 2024-03-09T14:00:00 or 2024-03-09";
  }

  private static LocalTime time(String text, Matcher matcher) {
    int second = matcher.group(6) == null ? 0 : number(matcher, 6);
    if (second == 60) {
      throw new DateTimeException(
          quoted(text) + " is a leap second, which epoch milliseconds do not have; use :59 or :00");
    }
    return LocalTime.of(number(matcher, 4), number(matcher, 5), second, nanos(text, matcher));
  }

  private static int nanos(String text, Matcher matcher) {
    String digits = matcher.group(7);
    if (digits == null) {
      return 0;
    }
    if (digits.length() > MAX_FRACTION_DIGITS) {
      throw new DateTimeException(
          quoted(text) + " has " + digits.length() + " fraction digits; 9 are allowed");
    }
    return Integer.parseInt(digits + "0".repeat(MAX_FRACTION_DIGITS - digits.length()));
  }

  private static long offsetSeconds(String text, String offset) {
    if (offset.length() == 1) {
      return 0;
    }
    int hours = Integer.parseInt(offset.substring(1, 3));
    int minutes = Integer.parseInt(offset.substring(4));
    if (hours > 23 || minutes > 59) {
      throw new DateTimeException(quoted(text) + " has an impossible offset " + offset);
    }
    long seconds = hours * 3600L + minutes * 60L;
    return offset.charAt(0) == '-' ? -seconds : seconds;
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(matcher.group(group));
  }

  private static String quoted(String text) {
    return "'" + BadRequests.shown(text) + "'";
  }

  /**
   * A date and time without a place.
   *
   * @param dateTime the date and time; midnight for a date alone
   * @param dateOnly whether the text had no time of day
   */
  record Local(LocalDateTime dateTime, boolean dateOnly) {}
}
