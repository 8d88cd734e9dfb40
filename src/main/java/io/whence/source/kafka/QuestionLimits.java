package io.whence.source.kafka;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * How long Kafka's clients wait for brokers. Invariant: one that has a question has all the time
 * that the question may take, for it may be the only one that can answer; one that does not connect
 * leaves time to ask another. Thread safety: immutable.
 */
public final class QuestionLimits {
  private static final String REQUEST = CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG;
  private static final String CONNECTION =
      CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG;
  private static final String MAX_CONNECTION =
      CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG;
  private static final int ATTEMPTS = 3;

  /** A broker that is well may take so long, where a question may. */
  private static final int LEAST_MS = 1_000;

  private QuestionLimits() {}

  /**
   * Adds the limits to the settings of a client, to which what the operator has given is added
   * after this.
   *
   * @param given what the operator has given, by Kafka's names
   * @param limit how long a question may take; at least 1 ms
   */
  public static void put(Map<String, Object> settings, Map<String, Object> given, Duration limit) {
    settings.put(REQUEST, Math.toIntExact(limit.toMillis()));
    if (!given.containsKey(CONNECTION) && !given.containsKey(MAX_CONNECTION)) {
      long attemptMs = attempt(limit).toMillis();
      settings.put(CONNECTION, attemptMs); // The second must not be below the first.
      settings.put(MAX_CONNECTION, attemptMs);
    }
  }

  /**
   * Returns after how long another broker is asked.
   *
   * @param limit how long a question may take; at least 1 ms
   */
  static Duration attempt(Duration limit) {
    long limitMs = limit.toMillis();
    return Duration.ofMillis(Math.min(limitMs, Math.max(limitMs / ATTEMPTS, LEAST_MS)));
  }
}
