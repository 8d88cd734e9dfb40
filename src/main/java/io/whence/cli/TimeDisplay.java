package io.whence.cli;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/**
 * Shows times on the clocks of one zone, always with the offset from UTC, so that the text can be
 * given back as it is. Immutable.
 */
public record TimeDisplay(ZoneId zone) {
  private static final DateTimeFormatter RFC_3339 =
      new DateTimeFormatterBuilder()
          .appendPattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXX")
          .toFormatter(Locale.ROOT);
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

  /** Shows times in UTC. */
  public static final TimeDisplay UTC = new TimeDisplay(ZoneOffset.UTC);

  /** Returns the time as RFC 3339 text with milliseconds. */
  public String text(long epochMs) {
    return RFC_3339.format(at(epochMs));
  }

  /** Returns the time of the day with milliseconds, without date and offset. */
  public String clock(long epochMs) {
    return CLOCK.format(at(epochMs));
  }

  /** Returns the date and offset, such as {@code 2024-03-09 +08:00}. */
  public String day(long epochMs) {
    OffsetDateTime time = at(epochMs);
    return time.toLocalDate() + " " + time.getOffset();
  }

  /** Returns the moment in UTC, in the zone if it is another one, and as epoch milliseconds. */
  public String moment(long epochMs) {
    String utc = UTC.text(epochMs);
    String ms = " (" + epochMs + " ms)";
    return isUtc() ? utc + ms : text(epochMs) + " = " + utc + ms;
  }

  /** Returns whether both moments are on one local day with one offset from UTC. */
  public boolean isOneDay(long fromMs, long toMs) {
    return day(fromMs).equals(day(toMs));
  }

  /** Returns the name of the zone, {@code UTC} for any spelling of it. */
  public String zoneName() {
    return isUtc() ? "UTC" : zone.getId();
  }

  /** Returns a signed span for people; exact below two minutes. */
  public static String distance(long ms) {
    String sign = ms < 0 ? "-" : "+";
    long size = ms == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(ms);
    return sign + span(size);
  }

  /** Returns a span of 0 or more milliseconds for people; exact below two minutes. */
  public static String span(long ms) {
    if (ms < 1_000) {
      return ms + " ms";
    }
    if (ms < 120_000) {
      return ms / 1_000 + "." + String.valueOf(1_000 + ms % 1_000).substring(1) + " s";
    }
    long minutes = ms / 60_000;
    if (minutes < 120) {
      return minutes + " min " + ms / 1_000 % 60 + " s";
    }
    long hours = minutes / 60;
    return hours < 48
        ? hours + " h " + minutes % 60 + " min"
        : hours / 24 + " d " + hours % 24 + " h";
  }

  private boolean isUtc() {
    return zone.normalized().equals(ZoneOffset.UTC);
  }

  private OffsetDateTime at(long epochMs) {
    return Instant.ofEpochMilli(epochMs).atZone(zone).toOffsetDateTime();
  }
}
