package io.whence.cli;

import com.google.protobuf.Timestamp;
import io.whence.v1.LocalTime;
import io.whence.v1.TimePoint;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A time as people write it, and the form in which it is sent. Nothing is guessed: text without a
 * zone is refused unless a zone is given, and digits are milliseconds unless a unit is given.
 * Immutable.
 *
 * @param point the form in which it is sent
 * @param note what was read, where that could surprise; otherwise empty
 */
record TimeText(TimePoint point, String note) {
  private static final Pattern DIGITS = Pattern.compile("[+-]?\\d{1,30}");
  private static final Pattern DATE_TIME =
      Pattern.compile(
          "(\\d{4,9}-\\d{2}-\\d{2})"
              + "(?:[Tt ](\\d{2}:\\d{2})(:\\d{2}(?:\\.\\d+)?)?)?"
              + "(?: ?([Zz]|[+-]\\d{2}:?\\d{2}))?");

  /** Reads a time that was given for the option {@code field}. */
  static TimeText parse(String field, String text, TimeOptions options) {
    String plain = text.strip();
    if (DIGITS.matcher(plain).matches()) {
      return digits(field, plain, options);
    }
    Matcher dateTime = DATE_TIME.matcher(plain);
    if (dateTime.matches()) {
      return dateTime.group(4) == null
          ? new TimeText(local(field, plain, dateTime, options), "")
          : new TimeText(TimePoint.newBuilder().setRfc3339(rfc3339(dateTime)).build(), "");
    }
    String span = plain.toLowerCase(Locale.ROOT).replaceFirst("\\s*ago$", "");
    return DurationText.parse(span.equals("now") ? "0s" : span)
        .map(ago -> new TimeText(ago(ago), ""))
        .orElseThrow(() -> unreadable(field, text));
  }

  /** Makes a time so long before the clock of the server. */
  static TimePoint ago(Duration span) {
    return TimePoint.newBuilder()
        .setAgo(
            com.google.protobuf.Duration.newBuilder()
                .setSeconds(span.getSeconds())
                .setNanos(span.getNano()))
        .build();
  }

  private static TimeText digits(String field, String text, TimeOptions options) {
    BigInteger count = new BigInteger(text);
    Optional<TimeUnitOption> unit = options.unit();
    if (unit.isPresent()) {
      Timestamp moment = unit.get().timestamp(field, count);
      String read = Instant.ofEpochSecond(moment.getSeconds(), moment.getNanos()).toString();
      return new TimeText(
          TimePoint.newBuilder().setTimestamp(moment).build(),
          count + " read as " + unit.get().plural() + " = " + read);
    }
    if (count.bitLength() > 63) {
      throw new BadInputException(
          field, field + ": " + text + " is too large for milliseconds; name its unit with --unit");
    }
    return new TimeText(TimePoint.newBuilder().setEpochMs(count.longValueExact()).build(), "");
  }

  private static TimePoint local(String field, String text, Matcher parts, TimeOptions options) {
    String zone =
        options
            .zoneName()
            .orElseThrow(
                () ->
                    new BadInputException(
                        field,
                        field
                            + " '"
                            + text
                            + "' has no time zone, and none is assumed: add --zone"
                            + " Europe/Berlin (or --zone UTC), or end it with Z or an offset such as"
                            + " +02:00"));
    String time = parts.group(2) == null ? "" : "T" + parts.group(2) + orEmpty(parts, 3);
    LocalTime.Builder local =
        LocalTime.newBuilder().setDateTime(parts.group(1) + time).setZone(zone);
    return TimePoint.newBuilder().setLocalTime(local.setChoice(options.choice())).build();
  }

  private static String rfc3339(Matcher parts) {
    String offset = parts.group(4).toUpperCase(Locale.ROOT);
    boolean bare = offset.length() == 5;
    String seconds = parts.group(2) != null && parts.group(3) == null ? ":00" : orEmpty(parts, 3);
    return parts.group(1)
        + (parts.group(2) == null ? "" : "T" + parts.group(2))
        + seconds
        + (bare ? offset.substring(0, 3) + ":" + offset.substring(3) : offset);
  }

  private static String orEmpty(Matcher parts, int group) {
    return parts.group(group) == null ? "" : parts.group(group);
  }

  private static BadInputException unreadable(String field, String text) {
    return new BadInputException(
        field,
        field
            + " '"
            + text
            + "' can't be read as a time; write for example"
            + " 2024-03-09T14:00:00+08:00, 2024-03-09T14:00 with --zone Asia/Shanghai,"
            + " '2h ago', or epoch milliseconds");
  }
}
