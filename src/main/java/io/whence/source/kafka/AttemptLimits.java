package io.whence.source.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * How long Kafka's clients wait for one broker. Invariant: it is so much less than a question may
 * take that another broker is tried within it, when one takes connections and says nothing. Thread
 * safety: immutable.
 */
public final class AttemptLimits {
  private static final String REQUEST = AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG;
  private static final String CONNECTION =
      AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG;
  private static final String MAX_CONNECTION =
      AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG;
  private static final int ATTEMPTS = 3;

  /** A broker that is well may take so long, where a question may. */
  private static final int LEAST_MS = 1_000;

  private AttemptLimits() {}

  /**
   * Adds the limits to the settings of a client, to which what the operator has given is added
   * after this.
   *
   * @param given what the operator has given, by Kafka's names
   * @param limit how long a question may take; at least 1 ms
   */
  public static void put(Map<String, Object> settings, Map<String, Object> given, Duration limit) {
    int limitMs = Math.toIntExact(limit.toMillis());
    int attemptMs = Math.min(limitMs, Math.max(limitMs / ATTEMPTS, LEAST_MS));
    settings.put(REQUEST, attemptMs);
    if (!given.containsKey(CONNECTION) && !given.containsKey(MAX_CONNECTION)) {
      settings.put(CONNECTION, (long) attemptMs); // The second must not be below the first.
      settings.put(MAX_CONNECTION, (long) attemptMs);
    }
  }

  /**
   * Returns how long one broker is waited for.
   *
   * @param settings all that a client is made with
   * @param limit how long a question may take; at least 1 ms
   */
  static Duration attempt(Map<String, Object> settings, Duration limit) {
    Object requestMs = Objects.requireNonNull(settings.get(REQUEST), REQUEST);
    Duration attempt = Duration.ofMillis(Long.parseLong(requestMs.toString()));
    return attempt.compareTo(limit) < 0 ? attempt : limit;
  }
}
