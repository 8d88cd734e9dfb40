package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.v1.LocalTimeChoice;
import io.whence.v1.TimePoint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TimeTextTest {
  private static final Instant NOW = Instant.parse("2024-03-10T00:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "2024-03-09T14:00:00+08:00, 2024-03-09T14:00:00+08:00",
    "2024-03-09T14:00:00.123456789Z, 2024-03-09T14:00:00.123456789Z",
    "2024-03-09t14:00:00z, 2024-03-09T14:00:00Z",
    "2024-03-09 14:00:00 +08:00, 2024-03-09T14:00:00+08:00",
    "2024-03-09T14:00+0800, 2024-03-09T14:00:00+08:00"
  })
  void textWithOffset_sentAsRfc3339(String text, String sent) {
    assertThat(point(text).getRfc3339()).isEqualTo(sent);
  }

  @Test
  void textWithOffset_ignoresZoneOption() {
    assertThat(point("2024-03-09T14:00:00Z", "--zone", "Asia/Shanghai").getRfc3339())
        .isEqualTo("2024-03-09T14:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "2024-03-09T14:00:00, 2024-03-09T14:00:00",
    "2024-03-09 14:00, 2024-03-09T14:00",
    "2024-03-09, 2024-03-09",
    "2024-03-09T14:00:00.5, 2024-03-09T14:00:00.5"
  })
  void localText_sentWithZoneAndChoice(String text, String sent) {
    TimePoint point = point(text, "--zone", "Asia/Shanghai", "--on-clock-change", "later");

    assertThat(point.getLocalTime().getDateTime()).isEqualTo(sent);
    assertThat(point.getLocalTime().getZone()).isEqualTo("Asia/Shanghai");
    assertThat(point.getLocalTime().getChoice()).isEqualTo(LocalTimeChoice.LOCAL_TIME_CHOICE_LATER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2024-03-09T14:00:00", "2024-03-09", "2024-03-09 14:00"})
  void localTextWithoutZone_refusedWithTheWayOut(String text) {
    assertThatThrownBy(() -> point(text))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("no time zone")
        .hasMessageContaining("--zone");
  }

  @ParameterizedTest
  @CsvSource({
    "2h, 7200",
    "90m, 5400",
    "PT2H, 7200",
    "3d, 259200",
    "2h ago, 7200",
    "1h30m ago, 5400",
    "3 days ago, 259200",
    "1w, 604800",
    "now, 0",
    "P1DT1H, 90000"
  })
  void spans_sentAsAgo(String text, long seconds) {
    TimePoint point = point(text);

    assertThat(point.hasAgo()).isTrue();
    assertThat(point.getAgo().getSeconds()).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({"1709964000000", "1622505600", "-5", "0", "9223372036854775807"})
  void digits_sentAsMillisecondsForTheServerToJudge(long value) {
    assertThat(point(String.valueOf(value)).getEpochMs()).isEqualTo(value);
    assertThat(point(String.valueOf(value)).hasEpochMs()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "s, 1622505600, 1622505600, 0, seconds",
    "ms, 1622505600123, 1622505600, 123000000, milliseconds",
    "us, 1622505600123456, 1622505600, 123456000, microseconds",
    "ns, 1622505600123456789, 1622505600, 123456789, nanoseconds",
    "ns, -1, -1, 999999999, nanoseconds"
  })
  void digitsWithUnit_convertedExactlyAndEchoed(
      String unit, String digits, long seconds, int nanos, String plural) {
    TimeText time = TimeText.parse("--from", digits, options("--unit", unit));

    assertThat(time.point().getTimestamp().getSeconds()).isEqualTo(seconds);
    assertThat(time.point().getTimestamp().getNanos()).isEqualTo(nanos);
    assertThat(time.note())
        .isEqualTo(digits + " read as " + plural + " = " + Instant.ofEpochSecond(seconds, nanos));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "soon",
        "2024-3-9",
        "14:00",
        "2024-03-09T14",
        "PT-2H",
        "2x",
        "99999999999999999999",
        "2024-03-09T14:00:00 Asia/Shanghai"
      })
  void unreadableText_refusedWithTheField(String text) {
    assertThatThrownBy(() -> point(text, "--zone", "UTC"))
        .isInstanceOf(BadInputException.class)
        .hasMessageStartingWith("--from");
  }

  @Test
  void unitOutOfRange_refused() {
    assertThatThrownBy(() -> point("1622505600123456789", "--unit", "s"))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("check --unit");
  }

  @ParameterizedTest
  @CsvSource({
    "2024-03-09T14:00, 2024-03-09T06:00:00Z",
    "2024-03-09T14:00:00Z, 2024-03-09T14:00:00Z",
    "1h ago, 2024-03-09T23:00:00Z",
    "1709964000000, 2024-03-09T06:00:00Z"
  })
  void recordTime_readByTheClient(String text, Instant expected) {
    long epochMs = RecordTime.epochMs(text, options("--zone", "Asia/Shanghai"), NOW);

    assertThat(epochMs).isEqualTo(expected.toEpochMilli());
  }

  @ParameterizedTest
  @CsvSource({
    "2024-10-27T02:30, earlier, 2024-10-27T00:30:00Z",
    "2024-10-27T02:30, later, 2024-10-27T01:30:00Z",
    "2024-03-31T02:30, earlier, 2024-03-31T00:30:00Z",
    "2024-03-31T02:30, later, 2024-03-31T01:30:00Z"
  })
  void recordTimeInClockChange_needsAChoice(String text, String choice, Instant expected) {
    assertThatThrownBy(() -> RecordTime.epochMs(text, options("--zone", "Europe/Berlin"), NOW))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("--on-clock-change");
    TimeOptions chosen = options("--zone", "Europe/Berlin", "--on-clock-change", choice);
    assertThat(RecordTime.epochMs(text, chosen, NOW)).isEqualTo(expected.toEpochMilli());
  }

  @Test
  void recordTimeInSeconds_refusedUnlessAllowed() {
    assertThatThrownBy(() -> RecordTime.epochMs("1622505600", options(), NOW))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("--unit");
    assertThat(RecordTime.epochMs("1622505600", options("--allow-unusual-time"), NOW))
        .isEqualTo(1_622_505_600L);
  }

  @ParameterizedTest
  @CsvSource({
    "0, +0 ms",
    "-999, -999 ms",
    "1500, +1.500 s",
    "119999, +119.999 s",
    "150000, +2 min 30 s",
    "7260000, +2 h 1 min",
    "180000000, +2 d 2 h",
    "-9223372036854775808, -106751991167 d 7 h"
  })
  void distances_readableWithSign(long ms, String text) {
    assertThat(TimeDisplay.distance(ms)).isEqualTo(text);
  }

  @Test
  void midnight_isZeroOClock() {
    TimeDisplay times = options("--zone", "-08:00").display();

    assertThat(times.text(Instant.parse("2023-01-02T08:15:00.792Z").toEpochMilli()))
        .isEqualTo("2023-01-02T00:15:00.792-08:00");
  }

  private static TimePoint point(String text, String... args) {
    return TimeText.parse("--from", text, options(args)).point();
  }

  private static TimeOptions options(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    return CommandLine.populateCommand(new TimeOptions(), all.toArray(String[]::new));
  }
}
