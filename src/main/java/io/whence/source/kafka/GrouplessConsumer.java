package io.whence.source.kafka;

import io.whence.model.IsolationLevel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** The settings of a consumer that reads for one question, and leaves no trace in the cluster. */
public final class GrouplessConsumer {
  private GrouplessConsumer() {}

  /**
   * Returns the settings: of no group, from no offset but one that is sought.
   *
   * @param client what the operator has given, by Kafka's names
   * @param maxRecords how many records a poll returns at most; at least 1
   * @param limit how long a question may take; at least 1 ms
   */
  public static Map<String, Object> settings(
      Map<String, Object> client, IsolationLevel isolation, int maxRecords, Duration limit) {
    Map<String, Object> settings = new HashMap<>();
    QuestionLimits.put(settings, client, limit);
    settings.putAll(client);
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, maxRecords);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Math.toIntExact(limit.toMillis()));
    settings.put(
        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
        isolation == IsolationLevel.READ_COMMITTED ? "read_committed" : "read_uncommitted");
    return settings;
  }
}
