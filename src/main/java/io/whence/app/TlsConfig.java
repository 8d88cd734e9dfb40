package io.whence.app;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Encryption of gRPC, below {@code whence.grpc.tls.}; without a certificate there is none. */
public interface TlsConfig {
  /** The certificate of the server in PEM, followed by those that it was issued by. */
  Optional<Path> certificate();

  /** Its private key in PEM (PKCS#8). */
  Optional<Path> key();

  /** The CAs in PEM that sign certificates of clients; given, every client must show one. */
  Optional<Path> clientCa();

  /** How often the files are looked at. Default: 1 minute. */
  @WithDefault("1m")
  Duration reload();
}
