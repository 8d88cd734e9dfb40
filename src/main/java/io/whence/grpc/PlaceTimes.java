package io.whence.grpc;

import io.whence.model.WhenceException;
import io.whence.v1.LocalTime;
import io.whence.v1.LocalTimeChoice;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRulesProvider;
import java.util.regex.Pattern;

/** Tells the instant of a date and time on the clocks of a place. */
final class PlaceTimes {
  private static final Pattern OFFSET = Pattern.compile("Z|[+-][0-9]{2}:[0-9]{2}");

  private PlaceTimes() {}

  /** Returns the instant, or refuses texts that are wrong, ambiguous or never shown by a clock. */
  static Instant instant(LocalTime time, FieldPath field) {
    ZoneId zone = zone(time.getZone(), field.child("zone"));
    FieldPath textField = field.child("date_time");
    if (time.getDateTime().isEmpty()) {
      throw BadRequests.missing(textField, "give a date and time, such as 2024-03-09T14:00:00");
    }
    try {
      return instant(Rfc3339.local(time.getDateTime()), zone, time, textField);
    } catch (DateTimeException e) {
      throw BadRequests.invalidTime(textField, time.getDateTime(), String.valueOf(e.getMessage()));
    }
  }

  private static Instant instant(
      Rfc3339.Local local, ZoneId zone, LocalTime time, FieldPath field) {
    LocalDateTime dateTime = local.dateTime();
    if (local.dateOnly()) {
      ZonedDateTime start = dateTime.toLocalDate().atStartOfDay(zone);
      // A date that a zone skipped, as Samoa did with 2011-12-30, has no start.
      if (start.toLocalDate().equals(dateTime.toLocalDate())) {
        return start.toInstant();
      }
    }
    ZoneOffsetTransition change = zone.getRules().getTransition(dateTime);
    return change == null
        ? dateTime.atZone(zone).toInstant()
        : chosen(dateTime, change, time, field);
  }

  private static Instant chosen(
      LocalDateTime dateTime, ZoneOffsetTransition change, LocalTime time, FieldPath field) {
    Instant one = dateTime.toInstant(change.getOffsetBefore());
    Instant other = dateTime.toInstant(change.getOffsetAfter());
    Instant earlier = one.isBefore(other) ? one : other;
    Instant later = one.isBefore(other) ? other : one;
    if (time.getChoice() == LocalTimeChoice.LOCAL_TIME_CHOICE_EARLIER) {
      return earlier;
    }
    if (time.getChoice() == LocalTimeChoice.LOCAL_TIME_CHOICE_LATER) {
      return later;
    }
    throw BadRequests.invalidTime(
        field,
        time.getDateTime(),
        "'"
            + time.getDateTime()
            + "' in "
            + time.getZone()
            + (change.isGap() ? " is skipped by" : " happens twice at")
            + " a clock change: it could mean "
            + earlier
            + " (EARLIER) or "
            + later
            + " (LATER); set choice");
  }

  private static ZoneId zone(String name, FieldPath field) {
    if (name.isEmpty()) {
      throw BadRequests.missing(field, "give an IANA time zone, such as Asia/Shanghai or UTC");
    }
    try {
      if (OFFSET.matcher(name).matches()) {
        return ZoneOffset.of(name);
      }
      if (ZoneRulesProvider.getAvailableZoneIds().contains(name)) {
        return ZoneId.of(name);
      }
    } catch (DateTimeException e) {
      throw unknownZone(name, field);
    }
    throw unknownZone(name, field);
  }

  private static WhenceException unknownZone(String name, FieldPath field) {
    return BadRequests.invalidTime(
        field,
        name,
        "'"
            + BadRequests.shown(name)
            + "' is not a time zone; use an IANA name such as Asia/Shanghai (abbreviations are"
            + " ambiguous), UTC, or an offset such as +08:00");
  }
}
