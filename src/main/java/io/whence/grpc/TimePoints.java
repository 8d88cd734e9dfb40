package io.whence.grpc;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.whence.model.WhenceException;
import io.whence.v1.TimePoint;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * Turns the times of one request into epoch milliseconds, once, at the edge. Thread safety:
 * immutable.
 *
 * @param serverTimeMs the clock of the server when the request arrived, in epoch milliseconds
 * @param allowUnusual takes epoch milliseconds that look like another unit as they are
 */
record TimePoints(long serverTimeMs, boolean allowUnusual) {

  /** Returns the time in epoch milliseconds, or refuses it with {@code INVALID_TIME}. */
  long epochMs(TimePoint point, Rounding rounding, FieldPath field) {
    return switch (point.getFormCase()) {
      case EPOCH_MS -> checked(point.getEpochMs(), field.child("epoch_ms"));
      case TIMESTAMP -> timestamp(point.getTimestamp(), rounding, field.child("timestamp"));
      case RFC3339 -> text(point.getRfc3339(), rounding, field.child("rfc3339"));
      case LOCAL_TIME ->
          rounding.toEpochMs(PlaceTimes.instant(point.getLocalTime(), field.child("local_time")));
      case AGO -> ago(point.getAgo(), rounding, field.child("ago"));
      case FORM_NOT_SET ->
          throw BadRequests.missing(
              field, "give one of epoch_ms, timestamp, rfc3339, local_time and ago");
    };
  }

  private long checked(long value, FieldPath field) {
    Optional<String> problem = allowUnusual ? Optional.empty() : EpochUnits.problem(value);
    if (problem.isPresent()) {
      throw BadRequests.invalidTime(
          field, value, problem.get() + "; or set allow_unusual_time to use it as it is");
    }
    return value;
  }

  private static long timestamp(Timestamp timestamp, Rounding rounding, FieldPath field) {
    if (!Timestamps.isValid(timestamp)) {
      String shown = timestamp.getSeconds() + " s and " + timestamp.getNanos() + " ns";
      throw BadRequests.invalidTime(
          field,
          shown,
          shown + " lies outside years 1 to 9999, or its nanoseconds outside 0 to 999999999");
    }
    return rounding.toEpochMs(Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos()));
  }

  private static long text(String text, Rounding rounding, FieldPath field) {
    try {
      return rounding.toEpochMs(Rfc3339.instant(text));
    } catch (DateTimeException e) {
      throw BadRequests.invalidTime(field, text, String.valueOf(e.getMessage()));
    }
  }

  private long ago(Duration duration, Rounding rounding, FieldPath field) {
    if (!Durations.isValid(duration)) {
      throw badAgo(duration, field, " is no valid duration");
    }
    if (duration.getSeconds() < 0 || duration.getNanos() < 0) {
      throw badAgo(duration, field, " is negative, which would be in the future");
    }
    Instant instant =
        Instant.ofEpochMilli(serverTimeMs)
            .minusSeconds(duration.getSeconds())
            .minusNanos(duration.getNanos());
    if (instant.isBefore(Instant.EPOCH)) {
      throw badAgo(duration, field, " before now lies before 1970");
    }
    return rounding.toEpochMs(instant);
  }

  private static WhenceException badAgo(Duration duration, FieldPath field, String problem) {
    String shown = duration.getSeconds() + " s and " + duration.getNanos() + " ns";
    return BadRequests.invalidTime(field, shown, shown + problem);
  }
}
