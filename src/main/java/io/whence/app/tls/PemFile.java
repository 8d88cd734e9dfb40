package io.whence.app.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of certificates or of a private key, as text between BEGIN and END lines. Equal if
 * setting, file and text are. Immutable.
 *
 * @param setting the setting that names it, for messages
 * @param path where it lies
 * @param text what it holds; never printed
 */
record PemFile(String setting, Path path, String text) {
  private static final long MAX_BYTES = 1 << 20;
  private static final Pattern CERTIFICATE = block("CERTIFICATE");
  private static final Pattern KEY = block("PRIVATE KEY");
  private static final Pattern OTHER_KEY =
      Pattern.compile("-----BEGIN ((?:RSA|EC|DSA|ENCRYPTED) PRIVATE KEY)-----");
  private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA");

  /** Reads the file. */
  static PemFile read(String setting, Path path) throws TlsFault {
    try {
      if (Files.isRegularFile(path) && Files.size(path) > MAX_BYTES) {
        throw new TlsFault(setting, path, "is larger than 1 MiB; expected a PEM file");
      }
      // In this charset every byte is a character, so what is no text is told from PEM below.
      return new PemFile(setting, path, Files.readString(path, StandardCharsets.ISO_8859_1));
    } catch (NoSuchFileException e) {
      throw fault(setting, path, "there is no such file", e);
    } catch (IOException e) {
      throw fault(setting, path, "can't be read: " + e.getMessage(), e);
    }
  }

  /** Returns its certificates in their order; at least one. */
  List<X509Certificate> certificates() throws TlsFault {
    List<X509Certificate> certificates = new ArrayList<>();
    Matcher block = CERTIFICATE.matcher(text);
    while (block.find()) {
      certificates.add(certificate(decoded(block.group(1))));
    }
    if (certificates.isEmpty()) {
      throw fault("holds no certificate; expected PEM (-----BEGIN CERTIFICATE-----)");
    }
    return List.copyOf(certificates);
  }

  private X509Certificate certificate(byte[] encoded) throws TlsFault {
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded));
    } catch (CertificateException e) {
      throw fault(setting, path, "holds a damaged certificate", e);
    }
  }

  /** Returns its private key. */
  PrivateKey privateKey() throws TlsFault {
    Matcher block = KEY.matcher(text);
    if (!block.find()) {
      Matcher other = OTHER_KEY.matcher(text);
      throw fault(
          other.find()
              ? "holds an "
                  + other.group(1)
                  + "; expected an unencrypted key in PKCS#8, as from"
                  + " openssl pkcs8 -topk8 -nocrypt"
              : "holds no private key; expected PEM in PKCS#8 (-----BEGIN PRIVATE KEY-----)");
    }
    PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(decoded(block.group(1)));
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
      } catch (InvalidKeySpecException e) {
        continue; // A key of another algorithm, or damaged.
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
    throw fault("holds a key that is damaged or neither RSA nor EC nor Ed25519");
  }

  private byte[] decoded(String base64) throws TlsFault {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw fault(setting, path, "is damaged: no Base64 between BEGIN and END", e);
    }
  }

  /** Makes a fault of this file. */
  TlsFault fault(String rule) {
    return new TlsFault(setting, path, rule);
  }

  /** Makes a fault of this file that something else has found. */
  TlsFault fault(String rule, GeneralSecurityException cause) {
    return fault(setting, path, rule, cause);
  }

  private static TlsFault fault(String setting, Path path, String rule, Exception cause) {
    TlsFault fault = new TlsFault(setting, path, rule);
    fault.initCause(cause);
    return fault;
  }

  private static Pattern block(String label) {
    return Pattern.compile(
        "-----BEGIN " + label + "-----([A-Za-z0-9+/=\\s]+)-----END " + label + "-----");
  }

  @Override
  public String toString() {
    return "PemFile[" + setting + ", " + path + "]";
  }
}
