package io.whence.app;

import io.grpc.Server;
import io.whence.grpc.HealthWatches;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The gRPC server that Quarkus started with our builder. Thread safety: thread-safe. */
@Singleton
public class GrpcServerHandle {
  private static final Logger LOG = Logger.getLogger(GrpcServerHandle.class);
  private static final int LAST_WORDS_MS = 250;
  private static final int CUT_LIMIT_MS = 1_000;

  private final OpenConnections connections;
  private final HealthWatches healthWatches;

  private volatile @Nullable Server server;
  private volatile String security = "";
  private volatile @Nullable Throwable failure;

  GrpcServerHandle(OpenConnections connections, HealthWatches healthWatches) {
    this.connections = connections;
    this.healthWatches = healthWatches;
  }

  /** Remembers the server. */
  void built(Server built) {
    server = built;
  }

  /** Remembers how its connections are kept from strangers. */
  void secured(String mode) {
    security = mode;
  }

  /** Returns how its connections are kept from strangers, in a word for the log. */
  String security() {
    return security;
  }

  /** Remembers why there is no server. */
  void failed(Throwable cause) {
    failure = cause;
  }

  /** Returns why the server doesn't listen; empty if it does. */
  Optional<String> problem() {
    Throwable cause = failure;
    if (cause != null) {
      Throwable root = cause.getCause() == null ? cause : cause.getCause();
      return Optional.of(String.valueOf(root.getMessage()));
    }
    return port() > 0 ? Optional.empty() : Optional.of("it was not started");
  }

  /** Returns the port that the server listens on; negative if it doesn't. */
  public int port() {
    Server listening = server;
    return listening == null ? -1 : listening.getPort();
  }

  /**
   * Ends watches of health, refuses new calls, lets those in work end, and cuts what is left after
   * the grace.
   */
  void drain(Duration grace) throws InterruptedException {
    healthWatches.drain(); // Nobody else ends them.
    Server listening = server;
    if (listening == null
        || listening.shutdown().awaitTermination(grace.toMillis(), TimeUnit.MILLISECONDS)) {
      return;
    }
    // Calls end, and their clients are told, as far as they read that at once.
    if (listening.shutdownNow().awaitTermination(LAST_WORDS_MS, TimeUnit.MILLISECONDS)) {
      return;
    }
    LOG.infof("connections cut that were still open: connections=%d", connections.cut());
    // Else Quarkus waits for it on the loop that has connections to close.
    if (!listening.awaitTermination(CUT_LIMIT_MS, TimeUnit.MILLISECONDS)) {
      LOG.warn("connections are still open; the process ends all the same");
    }
  }
}
