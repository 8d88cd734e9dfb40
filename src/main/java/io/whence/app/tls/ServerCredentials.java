package io.whence.app.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the server shows and whom it lets in, as it lies in files. Checked as a whole: the key fits
 * the certificate, every certificate of the chain is valid now and followed by its issuer, and some
 * certificate of the client CA is valid now. Equal if the files hold the same. Immutable.
 *
 * @param certificate the file of the chain, the server's own certificate first
 * @param key the file of its private key
 * @param clientCa the file of those who sign certificates of clients; null: clients show none
 */
record ServerCredentials(PemFile certificate, PemFile key, @Nullable PemFile clientCa) {
  static final String CERTIFICATE = "whence.grpc.tls.certificate";
  static final String KEY = "whence.grpc.tls.key";
  static final String CLIENT_CA = "whence.grpc.tls.client-ca";
  private static final String ALIAS = "whence";
  private static final byte[] SAMPLE = {1, 2, 3, 4, 5, 6, 7, 8};

  /** Reads the files; what they hold is to be {@link #check checked} before it is used. */
  static ServerCredentials read(TlsFiles files) throws TlsFault {
    Path clientCa = files.clientCa();
    return new ServerCredentials(
        PemFile.read(CERTIFICATE, files.certificate()),
        PemFile.read(KEY, files.key()),
        clientCa == null ? null : PemFile.read(CLIENT_CA, clientCa));
  }

  /**
   * Requires that it can be used as a whole.
   *
   * @throws TlsFault that names setting, file and rule
   */
  void check(Instant now) throws TlsFault {
    List<X509Certificate> chain = certificate.certificates();
    for (int i = 0; i < chain.size(); i++) {
      requireValid(chain.get(i), now);
      if (i > 0 && !isIssuer(chain.get(i), chain.get(i - 1))) {
        throw certificate.fault(
            "certificate "
                + (i + 1)
                + " is not the issuer of certificate "
                + i
                + "; expected the server's own first, and then each with its issuer behind it");
      }
    }
    requireFit(key.privateKey(), chain.get(0).getPublicKey());
    if (clientCa != null) {
      requireAnyValid(clientCa, now);
    }
  }

  private static boolean isIssuer(X509Certificate issuer, X509Certificate issued) {
    if (!issuer.getSubjectX500Principal().equals(issued.getIssuerX500Principal())) {
      return false;
    }
    try {
      issued.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false; // One of the same name, but not who signed it.
    }
  }

  private void requireValid(X509Certificate shown, Instant now) throws TlsFault {
    if (now.isAfter(shown.getNotAfter().toInstant())) {
      throw certificate.fault("expired at " + shown.getNotAfter().toInstant());
    }
    if (now.isBefore(shown.getNotBefore().toInstant())) {
      throw certificate.fault("is valid from " + shown.getNotBefore().toInstant() + " on only");
    }
  }

  private static void requireAnyValid(PemFile file, Instant now) throws TlsFault {
    Instant next = Instant.MAX;
    for (X509Certificate ca : file.certificates()) {
      Instant from = ca.getNotBefore().toInstant();
      if (!now.isAfter(ca.getNotAfter().toInstant())) {
        if (!now.isBefore(from)) {
          return;
        }
        next = from.isBefore(next) ? from : next;
      }
    }
    throw file.fault(
        next.equals(Instant.MAX)
            ? "all its certificates are expired, so no client could be let in"
            : "no certificate of it is valid before " + next + ", so no client could be let in");
  }

  /** A signature tells, whatever kind of key it is. */
  private void requireFit(PrivateKey secret, PublicKey shown) throws TlsFault {
    try {
      Signature signature = Signature.getInstance(signatureOf(secret));
      signature.initSign(secret);
      signature.update(SAMPLE);
      byte[] signed = signature.sign();
      signature.initVerify(shown);
      signature.update(SAMPLE);
      if (signature.verify(signed)) {
        return;
      }
    } catch (GeneralSecurityException e) {
      throw key.fault(misfit(), e);
    }
    throw key.fault(misfit());
  }

  private static String signatureOf(PrivateKey secret) {
    return switch (secret.getAlgorithm()) {
      case "RSA" -> "SHA256withRSA";
      case "EC" -> "SHA256withECDSA";
      default -> "EdDSA";
    };
  }

  private String misfit() {
    return "doesn't fit the certificate in " + certificate.path();
  }

  /** Returns when the first certificate of the chain expires, and all of it with that. */
  Instant expiry() throws TlsFault {
    return certificate.certificates().stream()
        .map(one -> one.getNotAfter().toInstant())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** Returns when the last certificate of the client CA expires; empty if clients show none. */
  Optional<Instant> clientCaExpiry() throws TlsFault {
    return clientCa == null
        ? Optional.empty()
        : clientCa.certificates().stream()
            .map(one -> one.getNotAfter().toInstant())
            .max(Comparator.naturalOrder());
  }

  /** Returns key and chain in a store without a password. */
  KeyStore keyStore() throws TlsFault {
    KeyStore store = emptyStore();
    try {
      store.setKeyEntry(
          ALIAS,
          key.privateKey(),
          new char[0],
          certificate.certificates().toArray(X509Certificate[]::new));
      return store;
    } catch (GeneralSecurityException e) {
      // The chain it is that a store looks at, such as for one that is there twice.
      throw certificate.fault("can't be used: " + e.getMessage(), e);
    }
  }

  /** Returns those who sign certificates of clients; null if clients show none. */
  @Nullable KeyStore trustStore() throws TlsFault {
    if (clientCa == null) {
      return null;
    }
    KeyStore store = emptyStore();
    try {
      int number = 0;
      for (X509Certificate ca : clientCa.certificates()) {
        store.setCertificateEntry(ALIAS + number++, ca);
      }
      return store;
    } catch (GeneralSecurityException e) {
      throw clientCa.fault("can't be used: " + e.getMessage(), e);
    }
  }

  private static KeyStore emptyStore() {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      return store;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e); // Nothing is loaded, and every JDK has this kind.
    }
  }
}
