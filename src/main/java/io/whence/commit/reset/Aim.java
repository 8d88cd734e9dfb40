package io.whence.commit.reset;

import java.util.List;

/**
 * Where a target leads in one partition. Thread safety: immutable.
 *
 * @param kind how well the target is met
 * @param offset the offset; meaningless when {@code NOWHERE}
 * @param reason why, for people
 * @param warnings what to look at, for people
 */
record Aim(Kind kind, long offset, String reason, List<String> warnings) {
  /** How well a target is met. */
  enum Kind {
    /** There is such a place. */
    HIT,
    /** There is none; the offset is the nearest place. */
    NEAREST,
    /** There is none, and none is near. */
    NOWHERE
  }

  static Aim hit(long offset, String reason) {
    return new Aim(Kind.HIT, offset, reason, List.of());
  }

  static Aim nearest(long offset, String reason) {
    return new Aim(Kind.NEAREST, offset, reason, List.of());
  }

  static Aim nowhere(String reason, String... warnings) {
    return new Aim(Kind.NOWHERE, 0, reason, List.of(warnings));
  }

  Aim warning(String warning) {
    return new Aim(kind, offset, reason, List.of(warning));
  }
}
