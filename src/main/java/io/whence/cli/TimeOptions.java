package io.whence.cli;

import io.whence.v1.LocalTimeChoice;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how times are read and shown. Single-writer: filled once by the parser. */
final class TimeOptions {
  enum ClockChange {
    earlier,
    later
  }

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description =
          "IANA time zone of times without one, and of the times shown. Default: UTC, shown only.")
  private String zone = "";

  @Option(
      names = "--unit",
      paramLabel = "UNIT",
      description =
          "Unit of times in digits: ${COMPLETION-CANDIDATES}. Default: ms, checked by the server.")
  private @Nullable TimeUnitOption unit;

  @Option(
      names = "--on-clock-change",
      paramLabel = "WHICH",
      description =
          "Instant of a local time that exists twice or not at all: ${COMPLETION-CANDIDATES}.")
  private @Nullable ClockChange clockChange;

  @Option(
      names = "--allow-unusual-time",
      description = "Takes epoch milliseconds that look like another unit as they are.")
  private boolean allowUnusualTime;

  /** Returns options with a zone only. */
  static TimeOptions inZone(String zone) {
    TimeOptions options = new TimeOptions();
    options.zone = zone;
    return options;
  }

  /** Returns the zone that was named. */
  Optional<String> zoneName() {
    return zone.isBlank() ? Optional.empty() : Optional.of(zone.strip());
  }

  /** Returns the unit of digits that was named. */
  Optional<TimeUnitOption> unit() {
    return Optional.ofNullable(unit);
  }

  /** Returns what to do with local times that a clock change makes ambiguous or non-existent. */
  LocalTimeChoice choice() {
    if (clockChange == null) {
      return LocalTimeChoice.LOCAL_TIME_CHOICE_UNSPECIFIED;
    }
    return clockChange == ClockChange.earlier
        ? LocalTimeChoice.LOCAL_TIME_CHOICE_EARLIER
        : LocalTimeChoice.LOCAL_TIME_CHOICE_LATER;
  }

  /** Returns whether unusual times are taken as they are. */
  boolean allowUnusualTime() {
    return allowUnusualTime;
  }

  /**
   * Returns how times are shown.
   *
   * @throws BadInputException if there is no such zone
   */
  TimeDisplay display() {
    try {
      return zoneName().map(name -> new TimeDisplay(ZoneId.of(name))).orElse(TimeDisplay.UTC);
    } catch (DateTimeException e) {
      throw new BadInputException(
          "--zone",
          "--zone '" + zone + "' is no time zone; write an IANA name such as Asia/Shanghai");
    }
  }

  /** Returns the zone in which the client reads local times itself; UTC if none was named. */
  ZoneId zone() {
    return zoneName().isEmpty() ? ZoneOffset.UTC : display().zone();
  }
}
