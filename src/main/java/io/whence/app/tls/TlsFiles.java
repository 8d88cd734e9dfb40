package io.whence.app.tls;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where certificates and keys of the gRPC server lie. Immutable.
 *
 * @param certificate the chain of the server
 * @param key its private key
 * @param clientCa those who sign certificates of clients; null: clients show none
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path clientCa) {
  /** Returns whether clients must show a certificate. */
  public boolean isMutual() {
    return clientCa != null;
  }
}
