package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.TlsServerCredentials;
import io.whence.testkit.CertificateAuthority;
import io.whence.testkit.CertificateAuthority.Issued;
import io.whence.testkit.Directories;
import io.whence.v1.ListTopicsResponse;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;

class TlsOptionsTest {
  private static Path directory;
  private static CertificateAuthority ca;
  private static CertificateAuthority other;
  private static Issued ours;
  private static Issued client;

  private FakeServer server;
  private StringWriter out;
  private StringWriter err;

  @BeforeAll
  static void makeCertificates() {
    directory = Directories.temporary("whence-cli-tls");
    ca = CertificateAuthority.create(directory, "ours");
    other = CertificateAuthority.create(directory, "other");
    ours = ca.issue("server");
    client = ca.issue("client");
  }

  @AfterAll
  static void deleteCertificates() {
    Directories.delete(directory);
  }

  @BeforeEach
  void startServer() throws IOException {
    out = new StringWriter();
    err = new StringWriter();
    server =
        FakeServer.start(
            TlsServerCredentials.newBuilder()
                .keyManager(ours.certificate().toFile(), ours.key().toFile())
                .trustManager(ca.file().toFile())
                .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                .build());
    server.answer(ListTopicsResponse.getDefaultInstance());
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @Test
  void certificateAndCa_answered() {
    assertThat(run("--tls-ca", ca.file().toString(), "--tls-server-name", "localhost"))
        .as("no certificate")
        .isEqualTo(ExitCode.UNREACHABLE);
    assertThat(run(withCertificate("--tls-ca", ca.file().toString()))).as(err.toString()).isZero();
  }

  @Test
  void otherCa_refusedWithHint() {
    assertThat(run(withCertificate("--tls-ca", other.file().toString())))
        .isEqualTo(ExitCode.UNREACHABLE);
    assertThat(err.toString()).contains("can't reach 127.0.0.1:", "--tls-ca FILE names who signs");
  }

  @Test
  void otherName_refused() {
    assertThat(
            run(
                withCertificate(
                    "--tls-ca", ca.file().toString(), "--tls-server-name", "elsewhere")))
        .isEqualTo(ExitCode.UNREACHABLE);
    assertThat(err.toString()).contains("elsewhere");
  }

  @Test
  void noTls_unreachable() {
    assertThat(run()).isEqualTo(ExitCode.UNREACHABLE);
  }

  @Test
  void certificateWithoutKey_refused() {
    assertThat(run("--tls-cert", client.certificate().toString())).isEqualTo(ExitCode.REFUSED);
    assertThat(err.toString()).contains("--tls-key is missing");
  }

  @Test
  void missingFiles_named() {
    assertThat(run("--tls-ca", "nowhere.pem")).isEqualTo(ExitCode.REFUSED);
    assertThat(run("--tls-cert", client.certificate().toString(), "--tls-key", "lost.key"))
        .isEqualTo(ExitCode.REFUSED);
    assertThat(err.toString())
        .contains("--tls-ca 'nowhere.pem' can't be read")
        .contains("--tls-key 'lost.key' can't be read");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--tls-ca | nothing.pem | holds no certificate, or a damaged one",
        "--tls-ca | empty.pem | holds no certificate",
        "--tls-ca | damaged.pem | holds no certificate, or a damaged one",
        "--tls-cert | nothing.pem | holds no certificate, or a damaged one",
        "--tls-cert | other.key | holds no certificate, or a damaged one",
        "--tls-key | nothing.pem | holds no private key that can be used; expected an unencrypted",
        "--tls-key | pkcs1.key | holds no private key that can be used; expected an unencrypted",
        "--tls-key | encrypted.key | holds no private key that can be used; expected an",
        "--tls-key | damaged.key | holds no private key that can be used; expected an",
      })
  void noPem_refusedWithOptionFileAndRule(String option, String name, String problem)
      throws IOException {
    Path file = Files.writeString(directory.resolve(name), bad(name));

    assertThat(run(optionsWith(option, file.toString()))).isEqualTo(ExitCode.REFUSED);
    assertThat(err.toString())
        .contains(option + " '" + file + "' " + problem)
        .doesNotContain("report", "\tat ");
  }

  private static String[] optionsWith(String option, String file) {
    String certificate = client.certificate().toString();
    return switch (option) {
      case "--tls-cert" -> new String[] {option, file, "--tls-key", client.key().toString()};
      case "--tls-key" -> new String[] {"--tls-cert", certificate, option, file};
      default -> new String[] {option, file};
    };
  }

  private static String bad(String name) throws IOException {
    String key = Files.readString(client.key());
    return switch (name) {
      case "empty.pem" -> "";
      case "damaged.pem" -> "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
      case "other.key" -> key;
      case "pkcs1.key" -> key.replace("PRIVATE KEY", "RSA PRIVATE KEY");
      case "encrypted.key" -> key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
      case "damaged.key" -> key.replaceFirst("\n.{8}", "\n");
      default -> "nothing";
    };
  }

  @Test
  void tls_whereTheVariableSaysSoToo_staysOn() {
    assertThat(transport("true", "--tls")).isNotSameAs(Transport.PLAINTEXT);
    assertThat(transport("true")).isNotSameAs(Transport.PLAINTEXT);
    assertThat(transport("false", "--tls")).isNotSameAs(Transport.PLAINTEXT);
    assertThat(transport("false")).isSameAs(Transport.PLAINTEXT);
  }

  /** Returns what becomes of options where WHENCE_TLS has a value. */
  private static Transport transport(String variable, String... options) {
    Asking asking = new Asking();
    CommandLine line = new CommandLine(asking);
    line.setDefaultValueProvider(
        option -> ((OptionSpec) option).longestName().equals("--tls") ? variable : null);
    line.parseArgs(options);
    return asking.tls.transport();
  }

  /** A command that has these options only. */
  @Command
  private static final class Asking {
    @Mixin private final TlsOptions tls = new TlsOptions();
  }

  private static String[] withCertificate(String... others) {
    String[] all = new String[others.length + 4];
    all[0] = "--tls-cert";
    all[1] = client.certificate().toString();
    all[2] = "--tls-key";
    all[3] = client.key().toString();
    System.arraycopy(others, 0, all, 4, others.length);
    return all;
  }

  private int run(String... options) {
    String[] all = new String[options.length + 3];
    all[0] = "topics";
    all[1] = "--timeout";
    all[2] = "10s";
    System.arraycopy(options, 0, all, 3, options.length);
    return Invocation.run(server.address(), out, err, all);
  }
}
