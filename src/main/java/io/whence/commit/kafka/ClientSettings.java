package io.whence.commit.kafka;

import io.whence.source.kafka.QuestionLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Settings of Kafka's clients: those of the operator before those that are chosen here. */
final class ClientSettings {
  /** How long an offset stays undecided, to everybody, after a server died in the middle. */
  private static final Duration TRANSACTION_LIMIT = Duration.ofSeconds(10);

  private static final String REQUEST_TIMEOUT = "request.timeout.ms";
  private static final int ADMIN_PAUSE_MS = 10;
  private static final int TRANSACTION_PAUSE_MS = 2;
  private static final int MAX_TRANSACTION_PAUSE_MS = 20;

  private ClientSettings() {}

  /**
   * Returns the settings of a client for administration.
   *
   * @param role what it is for
   */
  static Map<String, Object> admin(KafkaGroupOptions options, String role) {
    Map<String, Object> settings = common(options, role);
    // Questions about a group are put to one protocol after the other, with this pause between.
    settings.put("retry.backoff.ms", ADMIN_PAUSE_MS);
    if (!options.clientConfig().containsKey(REQUEST_TIMEOUT)) {
      settings.put("default.api.timeout.ms", timeoutMs(options)); // Not below the other one.
    }
    settings.putAll(options.clientConfig());
    return settings;
  }

  /** Returns the settings of the producer that commits for a group. */
  static Map<String, Object> producer(KafkaGroupOptions options, String group) {
    Map<String, Object> settings = common(options, "transactions");
    // One transaction after the other: the second meets the end of the first.
    settings.put("retry.backoff.ms", TRANSACTION_PAUSE_MS);
    settings.put("retry.backoff.max.ms", MAX_TRANSACTION_PAUSE_MS);
    settings.put("max.block.ms", timeoutMs(options));
    settings.put("transaction.timeout.ms", (int) TRANSACTION_LIMIT.toMillis());
    settings.putAll(options.clientConfig());
    settings.put("key.serializer", ByteArraySerializer.class);
    settings.put("value.serializer", ByteArraySerializer.class);
    settings.put("transactional.id", options.transactionPrefix() + group);
    return settings;
  }

  private static Map<String, Object> common(KafkaGroupOptions options, String role) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("client.id", "whence-" + options.source() + "-" + role);
    QuestionLimits.put(settings, options.clientConfig(), options.requestTimeout());
    settings.put("reconnect.backoff.max.ms", 1_000);
    settings.put("enable.metrics.push", false);
    return settings;
  }

  private static int timeoutMs(KafkaGroupOptions options) {
    return (int) options.requestTimeout().toMillis();
  }
}
