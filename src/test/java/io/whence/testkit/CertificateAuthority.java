package io.whence.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A CA that signs certificates for loopback, made by the JDK's keytool. Single-writer. */
public final class CertificateAuthority {
  private static final String PASSWORD = "certificates";
  private static final Duration TIME_LIMIT = Duration.ofSeconds(60);

  private final Path directory;
  private final String name;

  private CertificateAuthority(Path directory, String name) {
    this.directory = directory;
    this.name = name;
  }

  /** Makes a CA; its certificate is in {@link #file}. */
  public static CertificateAuthority create(Path directory, String name) {
    CertificateAuthority made = new CertificateAuthority(directory, name);
    made.keytool("ca", List.of("-dname", "CN=" + name, "-ext", "bc:critical=ca:true"));
    made.write("ca", made.file(), directory.resolve(name + "-ca.key"), 1);
    return made;
  }

  /** Returns the file of its certificate. */
  public Path file() {
    return directory.resolve(name + "-ca.pem");
  }

  /**
   * Makes a key with a certificate.
   *
   * @param subject the name of files and subject
   * @param options more options of keytool, such as -validity
   */
  public Issued issue(String subject, String... options) {
    List<String> all = new ArrayList<>(List.of("-dname", "CN=" + subject, "-signer", "ca"));
    all.addAll(List.of("-ext", "san=dns:localhost,ip:127.0.0.1"));
    all.addAll(List.of(options));
    keytool(subject, all);
    String prefix = name + "-" + subject;
    Issued issued =
        new Issued(directory.resolve(prefix + ".pem"), directory.resolve(prefix + ".key"));
    write(subject, issued.certificate(), issued.key(), Integer.MAX_VALUE);
    return issued;
  }

  private void keytool(String alias, List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-alias", alias, "-keyalg", "EC"));
    command.addAll(List.of("-groupname", "secp256r1", "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD, "-keystore", store().toString()));
    command.addAll(options);
    Command.run(command, directory, TIME_LIMIT);
  }

  private Path store() {
    return directory.resolve(name + ".p12");
  }

  private void write(String alias, Path certificate, Path key, int longestChain) {
    try (InputStream stored = Files.newInputStream(store())) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(stored, PASSWORD.toCharArray());
      StringBuilder chain = new StringBuilder();
      Certificate[] certificates = store.getCertificateChain(alias);
      for (int i = 0; i < Math.min(longestChain, certificates.length); i++) {
        chain.append(pem("CERTIFICATE", certificates[i].getEncoded()));
      }
      Key secret = store.getKey(alias, PASSWORD.toCharArray());
      Files.writeString(certificate, chain);
      Files.writeString(key, pem("PRIVATE KEY", secret.getEncoded()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String label, byte[] bytes) {
    String base64 =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
  }

  /**
   * A key with its certificate, each in a PEM file.
   *
   * @param certificate the certificate, and that of the CA behind it
   * @param key the private key
   */
  public record Issued(Path certificate, Path key) {
    /** Returns the certificate alone, in PEM. */
    public String own() throws IOException {
      String chain = Files.readString(certificate);
      return chain.substring(0, chain.lastIndexOf("-----BEGIN"));
    }
  }
}
