package io.whence.source.kafka.fetch;

import static org.apache.kafka.clients.consumer.ConsumerConfig.CLIENT_ID_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.METADATA_MAX_AGE_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.RECEIVE_BUFFER_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.RECONNECT_BACKOFF_MS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The settings of a lane's connections: those of a consumer, so that whatever secures a consumer
 * secures a lane, with our own defaults. Thread safety: thread-safe.
 */
final class ClientSettings {
  private static final long METADATA_AGE_MS = 30_000;
  private static final int RECEIVE_BUFFER_BYTES = 1 << 20;

  private ClientSettings() {}

  /**
   * Checks settings and adds defaults.
   *
   * @param given settings by Kafka's names; the client id gets the name of the lane behind it
   * @throws IllegalArgumentException if a consumer could not use them
   */
  static AbstractConfig of(String lane, Map<String, ?> given, FetchLimits limits) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(RECONNECT_BACKOFF_MS_CONFIG, 50L);
    settings.put(RECONNECT_BACKOFF_MAX_MS_CONFIG, 2_000L);
    settings.put(SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, limits.timeout().toMillis());
    settings.put(SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, 2 * limits.timeout().toMillis());
    settings.put(REQUEST_TIMEOUT_MS_CONFIG, limits.requestTimeoutMillis());
    settings.put(
        METADATA_MAX_AGE_CONFIG, Math.min(METADATA_AGE_MS, limits.backoff().access().toMillis()));
    settings.put(RECEIVE_BUFFER_CONFIG, RECEIVE_BUFFER_BYTES);
    settings.putAll(given);
    settings.put(KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    Object clientId = given.get(CLIENT_ID_CONFIG);
    settings.put(CLIENT_ID_CONFIG, (clientId == null ? "whence" : clientId) + "-" + lane);
    try {
      // A ConsumerConfig would log all of them, for each lane.
      return new AbstractConfig(ConsumerConfig.configDef(), settings, false);
    } catch (ConfigException e) {
      throw new IllegalArgumentException("settings of the Kafka client: " + e.getMessage(), e);
    }
  }
}
