package io.whence.commit.kafka;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * How the group offsets of a cluster are read and written. Thread safety: immutable.
 *
 * @param source the name of the source, for messages
 * @param clientConfig settings of Kafka's client by its own names, such as {@code
 *     bootstrap.servers}; they go before those that this package would choose
 * @param requestTimeout how long a read, or a commit from its turn on, may wait for the cluster;
 *     positive
 * @param clock the time
 * @param executor runs what waits for the cluster, never for longer than the time-out; one commit
 *     holds one of its threads, so it bounds how many groups are committed for at once
 * @param transactionPrefix what the ids of transactions begin with, followed by the group; must be
 *     the same on all servers that commit to the cluster. Empty: no transactions, so that guards
 *     hold only among the commits of this server
 * @param requests how answers to requests with an id are remembered
 */
public record KafkaGroupOptions(
    String source,
    Map<String, Object> clientConfig,
    Duration requestTimeout,
    InstantSource clock,
    Executor executor,
    String transactionPrefix,
    RequestMemory requests) {

  /**
   * How answers are remembered.
   *
   * @param window for how long; positive
   * @param limit how many at the most; positive
   */
  public record RequestMemory(Duration window, int limit) {
    /** Rejects what would remember nothing. */
    public RequestMemory {
      if (window.isNegative() || window.isZero() || limit < 1) {
        throw new IllegalArgumentException(limit + " requests for " + window + ": none at all");
      }
    }
  }

  /** Copies the settings; rejects a time-out that isn't positive, or of more than an hour. */
  public KafkaGroupOptions {
    clientConfig = Map.copyOf(clientConfig);
    if (requestTimeout.toMillis() < 1 || requestTimeout.toHours() > 1) {
      throw new IllegalArgumentException("request time-out " + requestTimeout + ": 1 ms to 1 h");
    }
  }

  /** Returns the usual prefix of the transactions of a source. */
  public static String usualTransactionPrefix(String source) {
    return "whence-" + source + "-";
  }
}
