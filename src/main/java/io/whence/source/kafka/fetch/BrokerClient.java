package io.whence.source.kafka.fetch;

import static org.apache.kafka.clients.CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.CLIENT_ID_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.CONNECTIONS_MAX_IDLE_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.METADATA_CLUSTER_CHECK_ENABLE_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.METADATA_MAX_AGE_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.RECEIVE_BUFFER_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.RETRY_BACKOFF_MAX_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.RETRY_BACKOFF_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.SEND_BUFFER_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG;
import static org.apache.kafka.clients.CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * The connections of a lane. Kafka's client under it keeps the metadata fresh, connects again with
 * back-off and ends what takes too long. Invariant: answers are handled by {@link #poll} alone, and
 * what their handling throws comes out of it. Thread safety: single-writer, the I/O thread; {@link
 * #wakeup} is for any thread.
 */
final class BrokerClient implements AutoCloseable {
  /** The one question, and the one that ends the session. */
  private static final int MAX_IN_FLIGHT = 2;

  private static final long POLL_LIMIT_MS = 1_000;
  private static final Time TIME = Time.SYSTEM;

  private final Metrics metrics = new Metrics();
  private final List<Runnable> arrived = new ArrayList<>();
  private final int requestTimeoutMs;
  private final LaneMetadata metadata;
  private final NetworkClient client;

  private BrokerClient(AbstractConfig config, FetchLimits limits, Runnable onMetadataAsked) {
    requestTimeoutMs = limits.requestTimeoutMillis();
    String clientId = config.getString(CLIENT_ID_CONFIG);
    LogContext log = new LogContext("[" + clientId + "] ");
    List<String> bootstrap = config.getList(BOOTSTRAP_SERVERS_CONFIG);
    metadata =
        new LaneMetadata(
            config.getLong(RETRY_BACKOFF_MS_CONFIG),
            config.getLong(RETRY_BACKOFF_MAX_MS_CONFIG),
            config.getLong(METADATA_MAX_AGE_CONFIG),
            log,
            onMetadataAsked);
    ClientUtils.maybeBootstrapMetadataSynchronously(config, bootstrap, metadata);
    client =
        new NetworkClient(
            selector(config, limits, log),
            metadata,
            clientId,
            MAX_IN_FLIGHT,
            config.getLong(RECONNECT_BACKOFF_MS_CONFIG),
            config.getLong(RECONNECT_BACKOFF_MAX_MS_CONFIG),
            config.getInt(SEND_BUFFER_CONFIG),
            config.getInt(RECEIVE_BUFFER_CONFIG),
            config.getInt(REQUEST_TIMEOUT_MS_CONFIG),
            config.getLong(SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG),
            config.getLong(SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG),
            TIME,
            true,
            new ApiVersions(),
            log,
            config.getLong(METADATA_RECOVERY_REBOOTSTRAP_TRIGGER_MS_CONFIG),
            MetadataRecoveryStrategy.forName(config.getString(METADATA_RECOVERY_STRATEGY_CONFIG)),
            ClientUtils.bootstrapConfiguration(config, bootstrap),
            config.getBoolean(METADATA_CLUSTER_CHECK_ENABLE_CONFIG));
  }

  /** Kafka's own helper makes this without a limit to what one answer may take. */
  private Selector selector(AbstractConfig config, FetchLimits limits, LogContext log) {
    return new Selector(
        limits.largestBytes(),
        config.getLong(CONNECTIONS_MAX_IDLE_MS_CONFIG),
        metrics,
        TIME,
        "whence-fetch",
        Map.of(),
        false,
        ClientUtils.createChannelBuilder(config, TIME, log),
        log);
  }

  /**
   * Makes connections; none is made yet, but names may be resolved and logins made.
   *
   * @throws org.apache.kafka.common.KafkaException if that fails
   */
  static BrokerClient open(AbstractConfig config, FetchLimits limits, Runnable onMetadataAsked) {
    return new BrokerClient(config, limits, onMetadataAsked);
  }

  LaneMetadata metadata() {
    return metadata;
  }

  /** Returns the time that all the waits here are counted in, in ms. */
  static long nowMs() {
    return TIME.milliseconds();
  }

  /** Returns whether a broker can be asked; begins to connect to it if not. */
  boolean ready(Node node, long nowMs) {
    return client.ready(node, nowMs);
  }

  /** Returns whether the last connection to a broker was lost or refused. */
  boolean hasFailed(Node node) {
    return client.connectionFailed(node);
  }

  /** Returns why a broker does not let us in, if so. */
  Optional<AuthenticationException> refusal(Node node) {
    return Optional.ofNullable(client.authenticationException(node));
  }

  /** Returns in how many ms to look whether a broker is ready. */
  long delayMs(Node node, long nowMs) {
    return client.pollDelayMs(node, nowMs);
  }

  /** Sends a question to a broker that is ready. */
  void send(Node node, FetchRequest.Builder question, Consumer<ClientResponse> onAnswer) {
    long nowMs = nowMs();
    ClientRequest request =
        client.newClientRequest(
            node.idString(),
            question,
            nowMs,
            true,
            requestTimeoutMs,
            // Kafka's client would swallow what a handler throws.
            response -> arrived.add(() -> onAnswer.accept(response)));
    client.send(request, nowMs);
  }

  /** Waits for answers, at most so long, and handles them. */
  void poll(long timeoutMs) {
    client.poll(Math.min(POLL_LIMIT_MS, timeoutMs), nowMs());
    List<Runnable> answers = List.copyOf(arrived);
    arrived.clear();
    answers.forEach(Runnable::run);
  }

  /** Returns why the cluster does not let us in, if that has happened since the last question. */
  Optional<AuthenticationException> refusal() {
    try {
      metadata.maybeThrowAnyException();
    } catch (AuthenticationException e) {
      return Optional.of(e);
    } catch (TopicAuthorizationException | InvalidTopicException e) {
      // The metadata says the same for each partition.
      return Optional.empty();
    }
    return Optional.empty();
  }

  /** Ends a wait in {@link #poll}, or the next one. */
  void wakeup() {
    client.wakeup();
  }

  @Override
  public void close() {
    client.close();
    metadata.close();
    metrics.close();
  }
}
