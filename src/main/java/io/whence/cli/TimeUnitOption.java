package io.whence.cli;

import com.google.protobuf.Timestamp;
import java.math.BigInteger;

/** The unit of a time that is given in digits. Immutable. */
enum TimeUnitOption {
  s("seconds", 1L),
  ms("milliseconds", 1_000L),
  us("microseconds", 1_000_000L),
  ns("nanoseconds", 1_000_000_000L);

  // Years 1 to 9999: what protobuf's Timestamp may hold.
  private static final BigInteger MIN_SECONDS = BigInteger.valueOf(-62_135_596_800L);
  private static final BigInteger MAX_SECONDS = BigInteger.valueOf(253_402_300_799L);

  private final String plural;
  private final long perSecond;

  TimeUnitOption(String plural, long perSecond) {
    this.plural = plural;
    this.perSecond = perSecond;
  }

  /** Returns the name of the unit in full. */
  String plural() {
    return plural;
  }

  /**
   * Returns the moment that so many units after 1970 are, exactly.
   *
   * @throws BadInputException if it lies outside the years 1 to 9999
   */
  Timestamp timestamp(String field, BigInteger count) {
    BigInteger per = BigInteger.valueOf(perSecond);
    BigInteger rest = count.mod(per);
    BigInteger seconds = count.subtract(rest).divide(per);
    if (seconds.compareTo(MIN_SECONDS) < 0 || seconds.compareTo(MAX_SECONDS) > 0) {
      throw new BadInputException(
          field,
          field + ": " + count + " " + plural + " lies outside the years 1 to 9999; check --unit");
    }
    int nanos = (int) (rest.longValue() * (1_000_000_000L / perSecond));
    return Timestamp.newBuilder().setSeconds(seconds.longValue()).setNanos(nanos).build();
  }
}
