package io.whence.example;

import com.google.gson.Gson;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Where the server is, and how TLS is spoken: the CA of the server if it is none that everybody
 * knows, and a certificate of our own for mutual TLS, all PEM files. Any of them turns TLS on.
 * Those that are not given are null. Immutable.
 */
record Connection(String server, boolean tls, String tlsCa, String tlsCert, String tlsKey) {
  /**
   * Lookups change nothing, so gRPC itself repeats them on UNAVAILABLE; of several addresses, each
   * gets its share. In an outage that ends after 50 repetitions, until there are answers again.
   * Commits and watches only wait for a server: we repeat them, since gRPC doesn't look for a
   * request id, nor does it know what a watch has told (see {@link Retry}).
   */
  private static final String SERVICE_CONFIG =
      """
      {
        "loadBalancingConfig": [{"round_robin": {}}],
        "retryThrottling": {"maxTokens": 100, "tokenRatio": 0.1},
        "methodConfig": [{
          "name": [
            {"service": "whence.v1.ResolverService"},
            {"service": "whence.v1.LogService", "method": "Read"},
            {"service": "whence.v1.LogService", "method": "ListTopics"},
            {"service": "whence.v1.LogService", "method": "DescribeTopic"},
            {"service": "whence.v1.GroupOffsetsService", "method": "FetchOffset"},
            {"service": "whence.v1.GroupOffsetsService", "method": "GetGroupLag"},
            {"service": "whence.v1.GroupOffsetsService", "method": "ListGroups"}
          ],
          "waitForReady": true,
          "retryPolicy": {
            "maxAttempts": 4,
            "initialBackoff": "0.2s",
            "maxBackoff": "2s",
            "backoffMultiplier": 2,
            "retryableStatusCodes": ["UNAVAILABLE"]
          }
        }, {
          "name": [
            {"service": "whence.v1.ResolverService", "method": "WatchTimestamp"},
            {"service": "whence.v1.GroupOffsetsService", "method": "CommitOffset"}
          ],
          "waitForReady": true
        }]
      }
      """;

  Connection {
    if ((tlsCert == null) != (tlsKey == null)) {
      throw new IllegalArgumentException("--tls-cert and --tls-key need each other");
    }
  }

  /** Makes a channel; it connects with the first call, and again when the connection was lost. */
  ManagedChannel open() throws IOException {
    @SuppressWarnings("unchecked") // An object of JSON is a map.
    Map<String, ?> serviceConfig = new Gson().fromJson(SERVICE_CONFIG, Map.class);
    return Grpc.newChannelBuilder(server, credentials())
        .defaultServiceConfig(serviceConfig)
        .enableRetry()
        .keepAliveTime(30, TimeUnit.SECONDS)
        .maxInboundMessageSize(16 << 20)
        .build();
  }

  private ChannelCredentials credentials() throws IOException {
    if (!tls && tlsCa == null && tlsCert == null) {
      return InsecureChannelCredentials.create();
    }
    var builder = TlsChannelCredentials.newBuilder();
    if (tlsCa != null) {
      builder.trustManager(new File(tlsCa));
    }
    if (tlsCert != null) {
      builder.keyManager(new File(tlsCert), new File(tlsKey));
    }
    return builder.build();
  }
}
