package io.whence.app.tls;

import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.quarkus.tls.BaseTlsConfiguration;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of the gRPC server, as Quarkus' TLS registry holds them. What this has passed
 * all checks: files that don't are not taken over, and that is said once. Thread safety:
 * thread-safe.
 */
public final class GrpcTlsConfiguration extends BaseTlsConfiguration {
  /** Its name in the registry. */
  public static final String NAME = "whence";

  private static final Logger LOG = Logger.getLogger("io.whence");
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  private final TlsFiles files;
  private final InstantSource clock;
  private final Runnable onFailedReload;
  private final SwappedSslContext context;
  private volatile ServerCredentials credentials;
  private volatile Instant expiry;
  private volatile Optional<Instant> clientCaExpiry;
  private String lastFault = "";

  private GrpcTlsConfiguration(TlsFiles files, InstantSource clock, Runnable onFailedReload)
      throws TlsFault {
    this.files = files;
    this.clock = clock;
    this.onFailedReload = onFailedReload;
    this.credentials = ServerCredentials.read(files);
    credentials.check(clock.instant());
    this.expiry = credentials.expiry();
    this.clientCaExpiry = credentials.clientCaExpiry();
    this.context = new SwappedSslContext(made(credentials));
  }

  /**
   * Reads the files for the first time.
   *
   * @param onFailedReload called after each look that found files that can't be used
   */
  public static GrpcTlsConfiguration open(
      TlsFiles files, InstantSource clock, Runnable onFailedReload) throws TlsFault {
    return new GrpcTlsConfiguration(files, clock, onFailedReload);
  }

  /** Returns what connections are encrypted with; it changes with {@link #reload}. */
  public SslContext context() {
    return context;
  }

  /** Returns whether clients must show a certificate. */
  public boolean isMutual() {
    return files.isMutual();
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public KeyStore getKeyStore() {
    try {
      return credentials.keyStore();
    } catch (TlsFault e) {
      throw new IllegalStateException(e); // They were read when they were taken over.
    }
  }

  @Override
  public @Nullable KeyStore getTrustStore() {
    try {
      return credentials.trustStore();
    } catch (TlsFault e) {
      throw new IllegalStateException(e); // They were read when they were taken over.
    }
  }

  /** Returns for how long all certificates that are shown are valid; negative: expired. */
  public Duration validity() {
    return Duration.between(clock.instant(), expiry);
  }

  /**
   * Returns for how long some certificate of the client CA is valid; negative: all are expired;
   * empty if clients show none.
   */
  public Optional<Duration> clientCaValidity() {
    return clientCaExpiry.map(end -> Duration.between(clock.instant(), end));
  }

  /**
   * Reads the files again, and encrypts new connections with what they hold, if that is something
   * else that can be used; returns whether it is. What is in use stays so when it expires, without
   * a word here: {@link #validity} says it.
   */
  @Override
  public synchronized boolean reload() {
    try {
      ServerCredentials read = ServerCredentials.read(files);
      if (!read.equals(credentials)) {
        read.check(clock.instant());
        takeOver(read);
        return true;
      }
      lastFault = "";
    } catch (TlsFault e) {
      failed(String.valueOf(e.getMessage()));
    }
    return false;
  }

  /** All or nothing: what can't be used is as if it had never been read, and is tried again. */
  private void takeOver(ServerCredentials read) throws TlsFault {
    SslContext next = made(read);
    expiry = read.expiry();
    clientCaExpiry = read.clientCaExpiry();
    credentials = read;
    context.swap(next);
    lastFault = "";
    LOG.infof("certificates reloaded: file=%s expires=%s", files.certificate(), expiry);
  }

  private void failed(String fault) {
    onFailedReload.run();
    if (!fault.equals(lastFault)) {
      LOG.warnf("certificates not reloaded, the old ones stay in use: %s", fault);
      lastFault = fault;
    }
  }

  private static SslContext made(ServerCredentials credentials) throws TlsFault {
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(credentials.keyStore(), new char[0]);
      SslContextBuilder builder =
          GrpcSslContexts.configure(SslContextBuilder.forServer(keys), SslProvider.JDK)
              .protocols(PROTOCOLS);
      KeyStore clients = credentials.trustStore();
      if (clients != null) {
        TrustManagerFactory trust =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(clients);
        builder.trustManager(trust).clientAuth(ClientAuth.REQUIRE);
      }
      return builder.build();
    } catch (GeneralSecurityException e) {
      throw credentials.key().fault("can't be used: " + e.getMessage(), e);
    } catch (SSLException e) {
      throw credentials.key().fault("can't be used: " + e.getMessage());
    }
  }
}
