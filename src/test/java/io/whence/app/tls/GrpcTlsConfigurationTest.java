package io.whence.app.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.SslContext;
import io.whence.testkit.CertificateAuthority;
import io.whence.testkit.CertificateAuthority.Issued;
import io.whence.testkit.Directories;
import io.whence.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken over while the server runs, and what is as if it had never been read. */
class GrpcTlsConfigurationTest {
  private static Path made;
  private static CertificateAuthority ours;
  private static CertificateAuthority namesake;
  private static Issued first;
  private static Issued second;
  private static Issued longer;

  @TempDir private Path used;
  private final ManualClock clock = new ManualClock(System.currentTimeMillis());
  private final AtomicInteger failures = new AtomicInteger();
  private TlsFiles files;

  @BeforeAll
  static void makeCertificates() throws IOException {
    made = Directories.temporary("whence-reloads");
    ours = CertificateAuthority.create(made, "ours");
    namesake =
        CertificateAuthority.create(Files.createDirectories(made.resolve("namesake")), "ours");
    first = ours.issue("first", "-validity", "10");
    second = ours.issue("second", "-validity", "20");
    longer = ours.issue("longer", "-validity", "1000");
  }

  @AfterAll
  static void deleteCertificates() {
    Directories.delete(made);
  }

  @BeforeEach
  void useFirst() throws IOException {
    files = new TlsFiles(used.resolve("server.pem"), used.resolve("server.key"), null);
    use(first);
  }

  private void use(Issued issued) throws IOException {
    Files.copy(issued.certificate(), files.certificate(), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(issued.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
  }

  private GrpcTlsConfiguration open() throws TlsFault {
    return GrpcTlsConfiguration.open(files, clock, failures::incrementAndGet);
  }

  private static Certificate shown(GrpcTlsConfiguration configuration) throws KeyStoreException {
    return configuration.getKeyStore().getCertificate("whence");
  }

  /** A chain that passes all checks, and that no key store takes. */
  private void useIssuerTwice() throws IOException {
    use(second);
    Files.writeString(
        files.certificate(),
        Files.readString(second.certificate()) + Files.readString(ours.file()));
  }

  @Test
  void sameFiles_nothingChanges() throws Exception {
    assertThat(open().reload()).isFalse();
    assertThat(failures).hasValue(0);
  }

  @Test
  void newFiles_takenOver() throws Exception {
    GrpcTlsConfiguration configuration = open();
    Certificate before = shown(configuration);
    use(second);

    assertThat(configuration.reload()).isTrue();
    assertThat(shown(configuration)).isNotEqualTo(before);
    assertThat(configuration.reload()).isFalse();
    assertThat(failures).hasValue(0);
  }

  @Test
  void unusableChain_isNotTakenOverAndTriedAgainEachTime() throws Exception {
    GrpcTlsConfiguration configuration = open();
    Certificate before = shown(configuration);
    useIssuerTwice();

    assertThat(configuration.reload()).isFalse();
    assertThat(configuration.reload()).isFalse();
    assertThat(failures).hasValue(2);
    assertThat(shown(configuration)).isEqualTo(before);

    use(second);
    assertThat(configuration.reload()).isTrue();
    assertThat(failures).hasValue(2);
  }

  @Test
  void takenOver_contextAndStoreTogether() throws Exception {
    GrpcTlsConfiguration configuration = open();
    SslContext context = configuration.context();
    Object sessions = context.sessionContext();
    useIssuerTwice();
    assertThat(configuration.reload()).isFalse();
    assertThat(context.sessionContext()).isSameAs(sessions);

    use(second);
    assertThat(configuration.reload()).isTrue();
    assertThat(configuration.context()).isSameAs(context);
    assertThat(context.sessionContext()).isNotSameAs(sessions);
  }

  @Test
  void issuerOfTheSameNameThatDidNotSign_refused() throws Exception {
    String chain = Files.readString(first.certificate());
    String own = chain.substring(0, chain.lastIndexOf("-----BEGIN"));
    Files.writeString(files.certificate(), own + Files.readString(namesake.file()));

    assertThatThrownBy(this::open)
        .isInstanceOf(TlsFault.class)
        .hasMessageContaining("certificate 2 is not the issuer of certificate 1");
  }

  @Test
  void validity_isThatOfTheFirstToExpire_andFollowsReloads() throws Exception {
    GrpcTlsConfiguration configuration = open();
    Duration atFirst = configuration.validity();
    assertThat(atFirst).isBetween(Duration.ofDays(9), Duration.ofDays(10));
    clock.advance(Duration.ofDays(11).toMillis());
    assertThat(configuration.validity()).isEqualTo(atFirst.minusDays(11)).isNegative();

    use(second);
    assertThat(configuration.reload()).isTrue();
    assertThat(configuration.validity()).isBetween(Duration.ofDays(8), Duration.ofDays(9));
  }

  @Test
  void validity_countsTheIssuerToo() throws Exception {
    // keytool gives a CA 90 days, and does not mind who is signed for longer.
    use(longer);
    assertThat(open().validity()).isBetween(Duration.ofDays(88), Duration.ofDays(91));
  }
}
