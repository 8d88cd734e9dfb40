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
  private static Issued later;

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
    later = ours.issue("later", "-startdate", "+5d", "-validity", "40");
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
    Files.writeString(files.certificate(), first.own() + Files.readString(namesake.file()));

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

  /** Takes these certificates for those of the client CA; who signs is not looked at here. */
  private void letIn(Issued... issuers) throws IOException {
    Path ca = used.resolve("ca.pem");
    StringBuilder all = new StringBuilder();
    for (Issued issuer : issuers) {
      all.append(issuer.own());
    }
    Files.writeString(ca, all);
    files = new TlsFiles(files.certificate(), files.key(), ca);
  }

  @Test
  void expiredInUse_staysInUse_isNoFailedReload() throws Exception {
    letIn(first);
    GrpcTlsConfiguration configuration = open();
    clock.advance(Duration.ofDays(11).toMillis());

    assertThat(configuration.reload()).isFalse();
    assertThat(failures).as("nothing new is there").hasValue(0);
    assertThat(configuration.clientCaValidity().orElseThrow()).isNegative();

    Files.writeString(files.certificate(), Files.readString(first.certificate()) + "\n");
    assertThat(configuration.reload()).isFalse();
    assertThat(failures).as("others are, and they are expired, too").hasValue(1);
  }

  @Test
  void clientCaValidity_isThatOfTheLastToExpire_andFollowsReloads() throws Exception {
    assertThat(open().clientCaValidity()).isEmpty();
    letIn(first);
    GrpcTlsConfiguration configuration = open();
    assertThat(configuration.clientCaValidity().orElseThrow())
        .isBetween(Duration.ofDays(9), Duration.ofDays(10));

    letIn(first, second);
    assertThat(configuration.reload()).isTrue();
    assertThat(configuration.clientCaValidity().orElseThrow())
        .isBetween(Duration.ofDays(19), Duration.ofDays(20));
  }

  @Test
  void clientCaThatIsExpired_orNotValidYet_refused() throws Exception {
    use(longer);
    letIn(later);
    assertThatThrownBy(this::open)
        .isInstanceOf(TlsFault.class)
        .hasMessageContainingAll("client-ca", "no certificate of it is valid before 20");

    letIn(later, first);
    GrpcTlsConfiguration configuration = open();
    letIn(later);
    assertThat(configuration.reload()).isFalse();
    assertThat(failures).hasValue(1);

    clock.advance(Duration.ofDays(6).toMillis());
    assertThat(configuration.reload()).as("now it is").isTrue();
    clock.advance(Duration.ofDays(50).toMillis());
    assertThatThrownBy(this::open)
        .isInstanceOf(TlsFault.class)
        .hasMessageContainingAll("client-ca", "all its certificates are expired");
  }
}
