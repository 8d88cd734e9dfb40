package io.whence.app;

import io.netty.handler.ssl.SslContext;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.quarkus.tls.runtime.TlsCertificateUpdater;
import io.vertx.core.Vertx;
import io.whence.app.tls.GrpcTlsConfiguration;
import io.whence.app.tls.TlsFault;
import io.whence.app.tls.TlsFiles;
import io.whence.ops.TlsMetrics;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of gRPC: puts the certificates into Quarkus' TLS registry and has its updater look
 * at the files, so that new ones are taken over. Thread safety: thread-safe.
 */
@Singleton
class GrpcTls {
  private final Duration reload;
  private final Vertx vertx;
  private final @Nullable GrpcTlsConfiguration configuration;
  private @Nullable TlsCertificateUpdater updater;

  GrpcTls(
      CheckedConfig checked,
      TlsConfigurationRegistry registry,
      Vertx vertx,
      InstantSource clock,
      TlsMetrics metrics) {
    TlsConfig config = checked.values().grpc().tls();
    this.reload = config.reload();
    this.vertx = vertx;
    this.configuration = config.certificate().isPresent() ? open(config, clock, metrics) : null;
    metrics.watch(this::secondsLeft, this::clientCaSecondsLeft);
    if (configuration != null) {
      registry.register(GrpcTlsConfiguration.NAME, configuration);
    }
  }

  private static GrpcTlsConfiguration open(
      TlsConfig config, InstantSource clock, TlsMetrics metrics) {
    TlsFiles files =
        new TlsFiles(
            config.certificate().orElseThrow(),
            config.key().orElseThrow(),
            config.clientCa().orElse(null));
    try {
      return GrpcTlsConfiguration.open(files, clock, metrics::reloadFailed);
    } catch (TlsFault e) {
      throw StartRefusal.of(String.valueOf(e.getMessage()));
    }
  }

  /** Returns what encrypts connections; empty if nothing does. */
  Optional<SslContext> context() {
    return Optional.ofNullable(configuration).map(GrpcTlsConfiguration::context);
  }

  private double secondsLeft() {
    return configuration == null ? Double.NaN : configuration.validity().toSeconds();
  }

  private double clientCaSecondsLeft() {
    Optional<Duration> left =
        Optional.ofNullable(configuration).flatMap(GrpcTlsConfiguration::clientCaValidity);
    return left.isEmpty() ? Double.NaN : left.get().toSeconds();
  }

  /** Returns how connections are kept from strangers, in a word for the log. */
  String mode() {
    if (configuration == null) {
      return "plaintext";
    }
    return configuration.isMutual() ? "mutual-tls" : "tls";
  }

  /** Looks at the files from now on. */
  synchronized void onStart(@Observes StartupEvent event) {
    if (configuration != null) {
      updater = new TlsCertificateUpdater(vertx);
      updater.add(GrpcTlsConfiguration.NAME, configuration, reload);
    }
  }

  /** Looks at the files no more. */
  synchronized void onStop(@Observes ShutdownEvent event) {
    if (updater != null) {
      updater.close();
    }
  }
}
