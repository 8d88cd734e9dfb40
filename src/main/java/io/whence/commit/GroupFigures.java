package io.whence.commit;

/**
 * How much is committed. Thread safety: immutable.
 *
 * @param groups how many groups have offsets
 * @param offsets how many offsets are committed
 * @param expiringSoon how many of these expire within a day unless they are committed again
 * @param requests how many answered requests are remembered
 */
public record GroupFigures(long groups, long offsets, long expiringSoon, long requests) {
  /** How soon is soon. */
  static final long SOON_MS = 86_400_000;
}
