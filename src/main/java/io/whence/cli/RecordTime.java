package io.whence.cli;

import io.whence.v1.LocalTime;
import io.whence.v1.LocalTimeChoice;
import io.whence.v1.TimePoint;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;

/**
 * The timestamp of a record to append: it is sent as epoch milliseconds, so the client reads it
 * itself, by the rules by which the server reads times. Immutable.
 */
final class RecordTime {
  private static final String FIELD = "--timestamp";
  // 1973 in milliseconds; below it digits are more likely seconds, from 5138 on microseconds.
  private static final long SMALLEST_USUAL_MS = 100_000_000_000L;
  private static final long LARGEST_USUAL_MS = 100_000_000_000_000L;

  private RecordTime() {}

  /** Returns the time as epoch milliseconds, rounded down. */
  static long epochMs(String text, TimeOptions options, Instant now) {
    TimePoint point = TimeText.parse(FIELD, text, options).point();
    try {
      return switch (point.getFormCase()) {
        case EPOCH_MS -> usual(point.getEpochMs(), options);
        case TIMESTAMP ->
            Instant.ofEpochSecond(
                    point.getTimestamp().getSeconds(), point.getTimestamp().getNanos())
                .toEpochMilli();
        case RFC3339 -> OffsetDateTime.parse(point.getRfc3339()).toInstant().toEpochMilli();
        case LOCAL_TIME -> local(point.getLocalTime()).toEpochMilli();
        case AGO ->
            now.minusSeconds(point.getAgo().getSeconds())
                .minusNanos(point.getAgo().getNanos())
                .toEpochMilli();
        case FORM_NOT_SET -> throw new IllegalStateException("a time without a form: " + text);
      };
    } catch (DateTimeException | ArithmeticException e) {
      throw new BadInputException(FIELD, FIELD + " '" + text + "': " + e.getMessage());
    }
  }

  private static long usual(long epochMs, TimeOptions options) {
    boolean usual = epochMs >= SMALLEST_USUAL_MS && epochMs < LARGEST_USUAL_MS;
    if (!usual && !options.allowUnusualTime()) {
      throw new BadInputException(
          FIELD,
          FIELD
              + " "
              + epochMs
              + " would be "
              + Instant.ofEpochMilli(epochMs)
              + " in milliseconds; name its unit with --unit, or take it as it is with"
              + " --allow-unusual-time");
    }
    return epochMs;
  }

  private static Instant local(LocalTime time) {
    String text = time.getDateTime();
    LocalDateTime dateTime =
        text.contains("T") ? LocalDateTime.parse(text) : LocalDate.parse(text).atStartOfDay();
    ZoneId zone = ZoneId.of(time.getZone());
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(dateTime);
    if (offsets.size() == 1) {
      return dateTime.toInstant(offsets.get(0));
    }
    ZoneOffsetTransition change = zone.getRules().getTransition(dateTime);
    Instant one = dateTime.toInstant(change.getOffsetBefore());
    Instant other = dateTime.toInstant(change.getOffsetAfter());
    if (time.getChoice() == LocalTimeChoice.LOCAL_TIME_CHOICE_UNSPECIFIED) {
      throw new BadInputException(
          FIELD,
          FIELD
              + " '"
              + text
              + "' "
              + (offsets.isEmpty() ? "does not exist" : "exists twice")
              + " in "
              + zone
              + " because the clocks change; choose with --on-clock-change"
              + " earlier|later");
    }
    boolean earlier = time.getChoice() == LocalTimeChoice.LOCAL_TIME_CHOICE_EARLIER;
    return one.isBefore(other) == earlier ? one : other;
  }
}
