package io.whence.app;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** The gRPC server, below {@code whence.grpc.}. */
public interface GrpcConfig {
  /** The address to listen on. Default: 127.0.0.1. */
  @WithDefault("127.0.0.1")
  String host();

  /** The port to listen on; 0 for any. Default: 9000. */
  @WithDefault("9000")
  int port();

  /** Allows other than loopback addresses, without encryption. Default: false. */
  @WithDefault("false")
  boolean allowPlaintext();

  /** Encryption. */
  TlsConfig tls();

  /** How large a request may be. Default: 4M. */
  @WithDefault("4M")
  MemorySize maxInboundMessageSize();

  /** How large the headers of a request may be. Default: 8K. */
  @WithDefault("8K")
  MemorySize maxInboundMetadataSize();

  /** How much of requests may be on its way, per call and per connection. Default: 8M. */
  @WithDefault("8M")
  MemorySize flowControlWindow();

  /** How long a connection may be silent before the server asks whether it lives. Default: 30s. */
  @WithDefault("30s")
  Duration keepAliveTime();

  /** How long the server waits for that answer. Default: 20s. */
  @WithDefault("20s")
  Duration keepAliveTimeout();

  /** How often a client may ask, also without calls; more often cuts it off. Default: 5s. */
  @WithDefault("5s")
  Duration permitKeepAliveTime();

  /** How old a connection may get; clients then connect anew, so that load spreads. Default: 5m. */
  @WithDefault("5m")
  Duration maxConnectionAge();

  /** How long the calls of such a connection may go on. Default: 30s. */
  @WithDefault("30s")
  Duration maxConnectionAgeGrace();

  /** How many calls one connection may have at a time; more wait in the client. Default: 1000. */
  @WithDefault("1000")
  int maxConcurrentCallsPerConnection();

  /** How many calls one connection may cancel in 30 s; more cut it off. Default: 10000. */
  @WithDefault("10000")
  int maxResetsPerConnection();
}
