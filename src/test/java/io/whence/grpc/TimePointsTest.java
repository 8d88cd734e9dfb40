package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.LocalTime;
import io.whence.v1.LocalTimeChoice;
import io.whence.v1.TimePoint;
import java.time.Instant;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimePointsTest {
  private static final long NOW_MS = Instant.parse("2024-06-01T00:00:00Z").toEpochMilli();
  private static final FieldPath FIELD = FieldPath.of("t");

  @ParameterizedTest
  @ValueSource(longs = {100_000_000_000L, 1_717_200_000_000L, 99_999_999_999_999L})
  void milliseconds_taken(long value) {
    assertThat(ms(epochMs(value), Rounding.UP)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1532712993          | 1532712993 looks like seconds: as milliseconds it is 1970-01-18T17:45:12.993Z, as seconds 2018-07-27T17:36:33Z; multiply it by 1000
          99999999999         | looks like seconds
          1                   | looks like seconds
          0                   | 0 is the start of 1970
          -1                  | use the position latest
          -2                  | use the position earliest
          -3                  | use the position max_timestamp
          -4                  | -4 is negative
          -9223372036854775808| is negative
          100000000000000     | looks like microseconds
          1755933141855875    | as microseconds 2025-08-23T07:12:21.855875Z; divide it by 1000
          100000000000000000  | looks like nanoseconds
          1700000000000000000 | as nanoseconds 2023-11-14T22:13:20Z; divide it by 1000000
          638450000000000000  | looks like ticks of 100 ns since the year 1: as milliseconds it is +
          9223372036854775807 | looks like nanoseconds
          """)
  void otherUnits_refusedWithMeaning(long value, String message) {
    WhenceException failure = refused(epochMs(value));
    assertThat(failure).hasMessageStartingWith("t.epoch_ms: ").hasMessageContaining(message);
    assertThat(failure.reason()).isEqualTo(ErrorReason.INVALID_TIME);
    assertThat(failure).hasMessageEndingWith("; or set allow_unusual_time to use it as it is");
    assertThat(new TimePoints(NOW_MS, true).epochMs(epochMs(value), Rounding.UP, FIELD))
        .isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "2020-11-01T00:00:00Z,            1604188800000, 1604188800000",
    "2020-11-01t00:00:00z,            1604188800000, 1604188800000",
    "2020-11-01T00:00:00.0000001Z,    1604188800001, 1604188800000",
    "2020-11-01T00:00:00.001Z,        1604188800001, 1604188800001",
    "2020-11-01T00:00:00.1Z,          1604188800100, 1604188800100",
    "2020-11-01T00:00:00.999999999Z,  1604188801000, 1604188800999",
    "2024-03-09T14:00:00+08:00,       1709964000000, 1709964000000",
    "2024-03-09T14:00:00-03:30,       1710005400000, 1710005400000",
    "2024-03-09T14:00:00-00:00,       1709992800000, 1709992800000",
    "2024-03-09T14:00:00+23:59,       1709906460000, 1709906460000",
    "1969-12-31T23:59:59.9995Z,       0,             -1",
    "2024-02-29T00:00:00Z,            1709164800000, 1709164800000",
    "0000-01-01T00:00:00Z,            -62167219200000, -62167219200000",
    "9999-12-31T23:59:59Z,            253402300799000, 253402300799000",
  })
  void rfc3339_roundedBothWays(String text, long up, long down) {
    TimePoint point = TimePoint.newBuilder().setRfc3339(text).build();
    assertThat(ms(point, Rounding.UP)).isEqualTo(up);
    assertThat(ms(point, Rounding.DOWN)).isEqualTo(down);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2024-03-09T14:00:00             | has no offset; add one such as +08:00, or use local_time with a zone
          2024-03-09T14:00:00.5           | has no offset
          2024-03-09                      | is not RFC 3339
          2024-03-09T14:00Z               | is not RFC 3339
          2024-03-09 14:00:00Z            | is not RFC 3339
          2024-03-09T14:00:00+0800        | is not RFC 3339
          2024-03-09T14:00:00+08          | is not RFC 3339
          2024-03-09T14:00:00.Z           | is not RFC 3339
          2024-03-09T14:00:00,5Z          | is not RFC 3339
          2024-03-09T14:00:00Zx           | is not RFC 3339
          2024-3-9T14:00:00Z              | is not RFC 3339
          +2024-03-09T14:00:00Z           | is not RFC 3339
          ٢٠٢٤-03-09T14:00:00Z            | is not RFC 3339
          2024-03-09T14:00:00.1234567890Z | has 10 fraction digits; 9 are allowed
          2016-12-31T23:59:60Z            | is a leap second
          2024-03-09T24:00:00Z            | does not exist
          2024-03-09T14:60:00Z            | does not exist
          2024-03-09T14:00:61Z            | does not exist
          2023-02-29T00:00:00Z            | does not exist
          2024-04-31T00:00:00Z            | does not exist
          2024-13-01T00:00:00Z            | does not exist
          2024-00-01T00:00:00Z            | does not exist
          2024-03-09T14:00:00+24:00       | has an impossible offset +24:00
          2024-03-09T14:00:00+08:60       | has an impossible offset +08:60
          yesterday                       | is not RFC 3339
          1717200000000                   | is not RFC 3339
          """)
  void badText_refused(String text, String message) {
    WhenceException failure = refused(TimePoint.newBuilder().setRfc3339(text).build());
    assertThat(failure)
        .hasMessageStartingWith("t.rfc3339: '" + text + "' ")
        .hasMessageContaining(message);
    assertThat(failure.metadata()).containsEntry("value", text);
  }

  @Test
  void emptyAndHugeTexts_refused() {
    assertThat(refused(TimePoint.newBuilder().setRfc3339("").build())).hasMessageContaining("''");
    assertThat(refused(TimePoint.newBuilder().setRfc3339("9".repeat(100_000)).build()).getMessage())
        .hasSizeLessThan(400);
  }

  @ParameterizedTest
  @CsvSource({
    "2024-03-09T14:00:00, Asia/Shanghai,       2024-03-09T06:00:00Z",
    "2024-03-09T14:00,    Asia/Shanghai,       2024-03-09T06:00:00Z",
    "2024-03-09,          Asia/Shanghai,       2024-03-08T16:00:00Z",
    "2024-03-09T14:00:00, UTC,                 2024-03-09T14:00:00Z",
    "2024-03-09T14:00:00, Z,                   2024-03-09T14:00:00Z",
    "2024-03-09T14:00:00, +08:00,              2024-03-09T06:00:00Z",
    "2024-07-01T12:00:00, America/New_York,    2024-07-01T16:00:00Z",
    "2024-01-01T12:00:00, America/New_York,    2024-01-01T17:00:00Z",
    "2024-03-10T01:59:59, America/New_York,    2024-03-10T06:59:59Z",
    "2024-03-10T03:00:00, America/New_York,    2024-03-10T07:00:00Z",
    "2024-11-03T02:00:00, America/New_York,    2024-11-03T07:00:00Z",
    "2024-10-06T02:30:00, Australia/Lord_Howe, 2024-10-05T15:30:00Z",
    "2018-11-04,          America/Sao_Paulo,   2018-11-04T03:00:00Z",
    "2023-11-05,          America/Havana,      2023-11-05T04:00:00Z",
  })
  void localTime_inItsZone(String text, String zone, Instant expected) {
    assertThat(ms(local(text, zone, 0), Rounding.UP)).isEqualTo(expected.toEpochMilli());
  }

  @ParameterizedTest
  @CsvSource({
    "2024-03-10T02:30:00, America/New_York,    is skipped,    2024-03-10T06:30:00Z, 2024-03-10T07:30:00Z",
    "2024-03-10T02:00:00, America/New_York,    is skipped,    2024-03-10T06:00:00Z, 2024-03-10T07:00:00Z",
    "2024-11-03T01:00:00, America/New_York,    happens twice, 2024-11-03T05:00:00Z, 2024-11-03T06:00:00Z",
    "2024-11-03T01:59:59, America/New_York,    happens twice, 2024-11-03T05:59:59Z, 2024-11-03T06:59:59Z",
    "2024-10-06T02:15:00, Australia/Lord_Howe, is skipped,    2024-10-05T15:15:00Z, 2024-10-05T15:45:00Z",
    "2024-04-07T01:45:00, Australia/Lord_Howe, happens twice, 2024-04-06T14:45:00Z, 2024-04-06T15:15:00Z",
    "2011-12-30,          Pacific/Apia,        is skipped,    2011-12-29T10:00:00Z, 2011-12-30T10:00:00Z",
  })
  void clockChange_refusedUnlessChosen(
      String text, String zone, String message, Instant earlier, Instant later) {
    WhenceException failure = refused(local(text, zone, 0));
    assertThat(failure)
        .hasMessageStartingWith("t.local_time.date_time: '" + text + "' in " + zone)
        .hasMessageContaining(message)
        .hasMessageContaining(earlier + " (EARLIER)")
        .hasMessageContaining(later + " (LATER)");
    assertThat(ms(local(text, zone, LocalTimeChoice.LOCAL_TIME_CHOICE_EARLIER_VALUE), Rounding.UP))
        .isEqualTo(earlier.toEpochMilli());
    assertThat(ms(local(text, zone, LocalTimeChoice.LOCAL_TIME_CHOICE_LATER_VALUE), Rounding.UP))
        .isEqualTo(later.toEpochMilli());
  }

  @ParameterizedTest
  @CsvSource({
    "2024-03-09T14:00:00,  CST,            t.local_time.zone: 'CST' is not a time zone",
    "2024-03-09T14:00:00,  asia/shanghai,  t.local_time.zone: 'asia/shanghai' is not a time zone",
    "2024-03-09T14:00:00,  UTC+8,          t.local_time.zone: 'UTC+8' is not a time zone",
    "2024-03-09T14:00:00,  +25:00,         t.local_time.zone: '+25:00' is not a time zone",
    "2024-03-09T14:00:00,  '',             t.local_time.zone: give an IANA time zone",
    "'',                   UTC,            t.local_time.date_time: give a date and time",
    "2024-03-09T14:00:00Z, UTC,            t.local_time.date_time: '2024-03-09T14:00:00Z' has an offset",
    "2024-02-30,           UTC,            t.local_time.date_time: '2024-02-30' does not exist",
    "09.03.2024,           UTC,            t.local_time.date_time: '09.03.2024' is not an ISO 8601",
  })
  void badLocalTime_refused(String text, String zone, String start) {
    assertThat(refused(local(text, zone, 0))).hasMessageStartingWith(start);
  }

  @Test
  void unknownChoice_refused() {
    assertThat(refused(local("2024-03-10T02:30:00", "America/New_York", 9)))
        .hasMessageContaining("set choice");
  }

  @ParameterizedTest
  @CsvSource({
    "1717200000,   0,         1717200000000,   1717200000000",
    "1717200000,   1,         1717200000001,   1717200000000",
    "1717200000,   999999999, 1717200001000,   1717200000999",
    "-1,           999999999, 0,               -1",
    "253402300799, 0,         253402300799000, 253402300799000",
  })
  void timestamp_roundedBothWays(long seconds, int nanos, long up, long down) {
    assertThat(ms(timestamp(seconds, nanos), Rounding.UP)).isEqualTo(up);
    assertThat(ms(timestamp(seconds, nanos), Rounding.DOWN)).isEqualTo(down);
  }

  @ParameterizedTest
  @CsvSource({
    "0, -1",
    "0, 1000000000",
    "253402300800, 0",
    "-62135596801, 0",
    "9223372036854775807, 0",
    "-9223372036854775808, 0",
  })
  void timestampOutOfRange_refused(long seconds, int nanos) {
    assertThat(refused(timestamp(seconds, nanos))).hasMessageStartingWith("t.timestamp: ");
  }

  @ParameterizedTest
  @CsvSource({
    "0,          0,       1717200000000, 1717200000000",
    "3600,       0,       1717196400000, 1717196400000",
    "0,          1,       1717200000000, 1717199999999",
    "0,          1500000, 1717199999999, 1717199999998",
    "1717200000, 0,       0,             0",
  })
  void ago_fromServerClock(long seconds, int nanos, long up, long down) {
    assertThat(ms(ago(seconds, nanos), Rounding.UP)).isEqualTo(up);
    assertThat(ms(ago(seconds, nanos), Rounding.DOWN)).isEqualTo(down);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0, is negative",
    "0, -1, is negative",
    "1, -1, is no valid duration",
    "1717200000, 1, before now lies before 1970",
    "9223372036854775807, 999999999, is no valid duration",
    "-9223372036854775808, 0, is no valid duration",
  })
  void badAgo_refused(long seconds, int nanos, String message) {
    assertThat(refused(ago(seconds, nanos)))
        .hasMessageStartingWith("t.ago: ")
        .hasMessageContaining(message);
  }

  @Test
  void noForm_refused() {
    WhenceException failure = refused(TimePoint.getDefaultInstance());
    assertThat(failure)
        .hasMessage("t: give one of epoch_ms, timestamp, rfc3339, local_time and ago");
    assertThat(failure.reason()).isEqualTo(ErrorReason.INVALID_ARGUMENT);
  }

  @Test
  void otherLocale_sameAnswersAndMessages() {
    Locale before = Locale.getDefault();
    TimePoint good = TimePoint.newBuilder().setRfc3339("2024-03-09T14:00:00.5+08:00").build();
    long expected = ms(good, Rounding.UP);
    String message = refused(epochMs(1532712993)).getMessage();
    try {
      for (String tag : new String[] {"ar-EG-u-nu-arab", "th-TH-u-ca-buddhist", "tr-TR"}) {
        Locale.setDefault(Locale.forLanguageTag(tag));
        assertThat(ms(good, Rounding.UP)).isEqualTo(expected);
        assertThat(refused(epochMs(1532712993)).getMessage()).isEqualTo(message);
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  private static long ms(TimePoint point, Rounding rounding) {
    return new TimePoints(NOW_MS, false).epochMs(point, rounding, FIELD);
  }

  private static WhenceException refused(TimePoint point) {
    WhenceException failure =
        catchThrowableOfType(WhenceException.class, () -> ms(point, Rounding.UP));
    assertThat(failure).isNotNull();
    return failure;
  }

  private static TimePoint epochMs(long value) {
    return TimePoint.newBuilder().setEpochMs(value).build();
  }

  private static TimePoint local(String text, String zone, int choice) {
    return TimePoint.newBuilder()
        .setLocalTime(LocalTime.newBuilder().setDateTime(text).setZone(zone).setChoiceValue(choice))
        .build();
  }

  private static TimePoint timestamp(long seconds, int nanos) {
    return TimePoint.newBuilder()
        .setTimestamp(Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos))
        .build();
  }

  private static TimePoint ago(long seconds, int nanos) {
    return TimePoint.newBuilder()
        .setAgo(Duration.newBuilder().setSeconds(seconds).setNanos(nanos))
        .build();
  }
}
