package io.whence.cli;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.okhttp.OkHttpChannelBuilder;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import picocli.CommandLine.Option;

/** The options of an encrypted connection. Single-writer: filled by the parser. */
final class TlsOptions {
  private static final String CA = "--tls-ca";
  private static final String CERTIFICATE = "--tls-cert";
  private static final String KEY = "--tls-key";
  private static final String CERTIFICATES = "PEM (-----BEGIN CERTIFICATE-----)";
  private static final String PRIVATE_KEY =
      "an unencrypted key in PKCS#8 (-----BEGIN PRIVATE KEY-----), as from"
          + " openssl pkcs8 -topk8 -nocrypt";

  @Option(
      names = "--tls",
      defaultValue = "${env:WHENCE_TLS:-false}",
      // Without, the option would turn off what the variable turns on.
      fallbackValue = "true",
      description =
          "Encrypts the connection; implied by the other --tls options. Default: WHENCE_TLS.")
  private boolean tls;

  @Option(
      names = CA,
      paramLabel = "FILE",
      defaultValue = "${env:WHENCE_TLS_CA:-}",
      description =
          "The CAs (PEM) that sign the server's certificate. Default: WHENCE_TLS_CA, or those of"
              + " Java.")
  private String ca = "";

  @Option(
      names = CERTIFICATE,
      paramLabel = "FILE",
      defaultValue = "${env:WHENCE_TLS_CERT:-}",
      description = "The certificate (PEM) to show to the server. Default: WHENCE_TLS_CERT.")
  private String certificate = "";

  @Option(
      names = KEY,
      paramLabel = "FILE",
      defaultValue = "${env:WHENCE_TLS_KEY:-}",
      description = "Its private key (PEM, PKCS#8). Default: WHENCE_TLS_KEY.")
  private String key = "";

  @Option(
      names = "--tls-server-name",
      paramLabel = "NAME",
      defaultValue = "${env:WHENCE_TLS_SERVER_NAME:-}",
      description =
          "The name in the server's certificate, where it isn't that of --server. Default:"
              + " WHENCE_TLS_SERVER_NAME.")
  private String serverName = "";

  /** Reads the files; returns how to connect. */
  Transport transport() {
    if (!tls && ca.isEmpty() && certificate.isEmpty() && key.isEmpty() && serverName.isEmpty()) {
      return Transport.PLAINTEXT;
    }
    TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
    if (!ca.isEmpty()) {
      requireCertificates(CA, ca);
      read(CA, ca, () -> credentials.trustManager(new File(ca)));
    }
    if (certificate.isEmpty() != key.isEmpty()) {
      String missing = certificate.isEmpty() ? CERTIFICATE : KEY;
      throw new BadInputException(
          missing, missing + " is missing; a certificate and its key go together");
    }
    if (!certificate.isEmpty()) {
      requireCertificates(CERTIFICATE, certificate);
      read(
          CERTIFICATE, certificate, () -> credentials.keyManager(new File(certificate), file(key)));
    }
    ChannelCredentials built = credentials.build();
    if (!key.isEmpty()) {
      requireUsableKey(built);
    }
    return new Transport(built, serverName);
  }

  private static void requireCertificates(String option, String path) {
    read(
        option,
        path,
        () -> {
          try (InputStream file = new FileInputStream(path)) {
            if (!CertificateFactory.getInstance("X.509").generateCertificates(file).isEmpty()) {
              return option;
            }
          } catch (CertificateException e) {
            throw unusable(option, path, "holds no certificate, or a damaged one", CERTIFICATES);
          }
          throw unusable(option, path, "holds no certificate", CERTIFICATES);
        });
  }

  /** The key is looked at when a channel is made, and only then. */
  private void requireUsableKey(ChannelCredentials credentials) {
    try {
      OkHttpChannelBuilder unused = OkHttpChannelBuilder.forTarget("dns:///localhost", credentials);
    } catch (IllegalArgumentException e) {
      throw unusable(KEY, key, "holds no private key that can be used", PRIVATE_KEY);
    }
  }

  private static BadInputException unusable(
      String option, String path, String problem, String expected) {
    return new BadInputException(
        option, option + " '" + path + "' " + problem + "; expected " + expected);
  }

  /** The key is read together with the certificate, but a problem with it is its own. */
  private static File file(String path) {
    File file = new File(path);
    if (!file.canRead()) {
      throw new BadInputException(KEY, KEY + " '" + path + "' can't be read");
    }
    return file;
  }

  private static void read(String option, String path, Reading reading) {
    try {
      reading.read();
    } catch (IOException e) {
      throw new BadInputException(
          option, option + " '" + path + "' can't be read: " + e.getMessage());
    }
  }

  /** Reads files. */
  @FunctionalInterface
  private interface Reading {
    Object read() throws IOException;
  }
}
