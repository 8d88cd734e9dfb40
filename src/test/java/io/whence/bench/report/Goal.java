package io.whence.bench.report;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * What is to be reached, and what was. Thread safety: immutable.
 *
 * @param what what is measured
 * @param against what it is compared with, or the unit
 * @param sense whether the limit is the most or the least
 * @param limit the limit
 * @param reached what was measured
 */
public record Goal(String what, String against, Sense sense, double limit, double reached) {
  /** Which way is better. */
  public enum Sense {
    /** No more than the limit. */
    AT_MOST("≤"),
    /** No less than the limit. */
    AT_LEAST("≥");

    private final String sign;

    Sense(String sign) {
      this.sign = sign;
    }
  }

  /** Makes a goal of at most so much. */
  public static Goal atMost(double limit, String what, String against, double reached) {
    return new Goal(what, against, Sense.AT_MOST, limit, reached);
  }

  /** Makes a goal of at least so much. */
  public static Goal atLeast(double limit, String what, String against, double reached) {
    return new Goal(what, against, Sense.AT_LEAST, limit, reached);
  }

  /** Returns whether it was reached. */
  @JsonIgnore
  public boolean isMet() {
    return sense == Sense.AT_MOST ? reached <= limit : reached >= limit;
  }

  /** Returns the limit with its sign. */
  @JsonIgnore
  public String limitText() {
    return sense.sign + " " + Table.text(limit);
  }
}
