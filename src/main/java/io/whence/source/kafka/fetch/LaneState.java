package io.whence.source.kafka.fetch;

import java.util.List;

/**
 * How a lane is, at one moment of the last second.
 *
 * @param partitions how many partitions it follows
 * @param failing of how many of these nothing is fetched, for a reason that their feeds were told
 * @param brokers the brokers that lead these partitions
 */
public record LaneState(int partitions, int failing, List<Broker> brokers) {
  /** Copies the list. */
  public LaneState {
    brokers = List.copyOf(brokers);
  }

  /**
   * A broker, as a lane sees it.
   *
   * @param id the number of the broker
   * @param address its host and port
   * @param partitions how many of the lane's partitions it leads
   * @param inFlight whether a question is with it
   * @param lastAnswerNanos when it last answered, by {@link System#nanoTime}; when the lane began
   *     to ask it, if it never did
   * @param throttledMs for how many milliseconds from now a quota forbids to ask it
   */
  public record Broker(
      int id,
      String address,
      int partitions,
      boolean inFlight,
      long lastAnswerNanos,
      long throttledMs) {}
}
