package io.whence.source.kafka.fetch;

import java.time.Duration;

/**
 * What bounds a lane in memory and time. For each broker there are at most two answers in memory at
 * a time.
 *
 * @param maxBytes how many bytes of records one answer may have; a single batch that is larger
 *     comes nevertheless
 * @param partitionMaxBytes how many of these of one partition, likewise
 * @param largestBytes the size beyond which an answer is not read, and the connection closed: above
 *     the largest batch, and below what comes from a port that is no broker's
 * @param maxWait how long a broker may wait for new records before it answers
 * @param pause how long a broker is left alone after an answer of less than 64 KiB
 * @param timeout how long the lane waits for an answer beyond {@code maxWait}
 * @param backoff how long it waits after failures
 */
public record FetchLimits(
    int maxBytes,
    int partitionMaxBytes,
    int largestBytes,
    Duration maxWait,
    Duration pause,
    Duration timeout,
    FetchBackoff backoff) {

  /** Suits a lane of up to a thousand partitions. */
  public static final FetchLimits DEFAULT =
      new FetchLimits(
          8 << 20,
          1 << 20,
          256 << 20,
          Duration.ofMillis(500),
          Duration.ofMillis(5),
          Duration.ofSeconds(5),
          FetchBackoff.DEFAULT);

  private static final int SMALL_BYTES = 64 << 10;

  /** Rejects sizes below 1 and out of order, and negative times. */
  public FetchLimits {
    if (partitionMaxBytes < 1 || maxBytes < partitionMaxBytes || largestBytes < maxBytes) {
      throw new IllegalArgumentException(
          "limits of "
              + partitionMaxBytes
              + " bytes a partition, "
              + maxBytes
              + " in all, "
              + largestBytes
              + " at most");
    }
    if (maxWait.isNegative() || pause.isNegative() || timeout.toMillis() < 1) {
      throw new IllegalArgumentException(
          "limits of " + maxWait + " to wait, " + pause + " to pause, " + timeout + " at most");
    }
  }

  /** Returns how long after an answer with so many bytes of records to ask again. */
  long pauseMillis(long answerBytes) {
    return answerBytes < SMALL_BYTES ? pause.toMillis() : 0;
  }

  int maxWaitMillis() {
    return Math.toIntExact(maxWait.toMillis());
  }

  int requestTimeoutMillis() {
    return Math.toIntExact(maxWait.plus(timeout).toMillis());
  }
}
