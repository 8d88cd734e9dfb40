package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.NettyChannelBuilder;
import io.whence.testkit.CertificateAuthority;
import io.whence.testkit.CertificateAuthority.Issued;
import io.whence.testkit.Directories;
import io.whence.v1.ListTopicsRequest;
import io.whence.v1.LogServiceGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Encryption of the packaged server, with clients that may come in and others. */
class TlsProcessIT {
  private static Path made;
  private static CertificateAuthority ours;
  private static CertificateAuthority other;
  private static Issued first;
  private static Issued second;
  private static Issued expired;
  private static Issued later;
  private static Issued client;
  private static Issued strangers;

  private Path data;
  private Path used;

  @BeforeAll
  static void makeCertificates() {
    made = Directories.temporary("whence-certificates");
    ours = CertificateAuthority.create(made, "ours");
    other = CertificateAuthority.create(made, "other");
    first = ours.issue("first");
    second = other.issue("second");
    expired = ours.issue("expired", "-startdate", "-3d", "-validity", "1");
    later = ours.issue("later", "-startdate", "+3d", "-validity", "10");
    client = ours.issue("client");
    strangers = other.issue("client");
  }

  @AfterAll
  static void deleteCertificates() {
    Directories.delete(made);
  }

  @BeforeEach
  void copyFiles() throws IOException {
    data = Directories.temporary("whence-tls");
    used = Files.createDirectories(data.resolve("certificates"));
    use(first);
    replace(ours.file(), "ca.pem");
  }

  @AfterEach
  void delete() {
    Directories.delete(data);
  }

  @Test
  void tls_letsInWhoTrustsTheServer() throws Exception {
    try (ServerProcess server = start()) {
      assertThat(server.log()).contains("mode=separate-server security=tls");
      try (Client trusting = new Client(server.grpcPort(), trusting(ours))) {
        trusting.topic("orders", 1, 1_717_200_000_000L);
        assertThat(topics(trusting.channel)).isEqualTo(1);
      }
      assertRefused(server, InsecureChannelCredentials.create());
      assertRefused(server, trusting(other));
      assertThat(server.log()).doesNotContain("\tat ");
    }
  }

  @Test
  void mutualTls_letsInWhoHasCertificateOfClientCa() throws Exception {
    try (ServerProcess server = startMutual()) {
      assertThat(server.log()).contains("security=mutual-tls");
      assertAnswered(server, showing(ours, client));
      assertRefused(server, trusting(ours));
      assertRefused(server, showing(ours, strangers));
      assertRefused(server, InsecureChannelCredentials.create());
      assertThat(server.log()).doesNotContain("\tat ");
    }
  }

  @Test
  void reload_changesNewConnectionsOnly() throws Exception {
    try (ServerProcess server = startMutual();
        Client open = new Client(server.grpcPort(), showing(ours, client))) {
      // The same certificates in other bytes: everything is as before.
      Files.writeString(used.resolve("ca.pem"), Files.readString(ours.file()) + "\n");
      awaitReloads(server, 1);
      assertAnswered(server, showing(ours, client));
      assertRefused(server, trusting(ours));

      use(second);
      awaitReloads(server, 2);
      assertThat(topics(open.channel)).isZero();
      assertAnswered(server, showing(other, client));
      assertRefused(server, showing(ours, client));
      assertRefused(server, trusting(other));

      replace(other.file(), "ca.pem");
      awaitReloads(server, 3);
      assertThat(topics(open.channel)).isZero();
      assertAnswered(server, showing(other, strangers));
      assertRefused(server, showing(other, client));
      assertRefused(server, trusting(other));
    }
  }

  @Test
  void brokenReload_keepsOldCertificates() throws Exception {
    try (ServerProcess server = startMutual()) {
      // The certificate has come, its key has not.
      replace(second.certificate(), "server.pem");
      await(() -> server.log().contains("doesn't fit the certificate in"));
      assertAnswered(server, showing(ours, client));
      Files.writeString(used.resolve("server.pem"), "nothing");
      await(() -> server.log().contains("holds no certificate"));
      Files.delete(used.resolve("server.pem"));
      await(() -> server.log().contains("there is no such file"));
      assertAnswered(server, showing(ours, client));
      assertRefused(server, trusting(ours));
      assertThat(server.log())
          .containsOnlyOnce("there is no such file")
          .doesNotContain("certificates reloaded", "\tat ");
      assertThat(server.metric("whence_tls_reload_failures_total")).isGreaterThanOrEqualTo(3);
      assertThat(server.metric("whence_tls_certificate_expires_seconds"))
          .as("keytool gives certificates 90 days")
          .isBetween(Duration.ofDays(88).toSeconds() * 1.0, Duration.ofDays(91).toSeconds() * 1.0);
      assertThat(server.metric("whence_tls_client_ca_expires_seconds"))
          .as("so does its own CA")
          .isBetween(Duration.ofDays(88).toSeconds() * 1.0, Duration.ofDays(91).toSeconds() * 1.0);

      use(second);
      awaitReloads(server, 1);
      assertAnswered(server, showing(other, client));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "missing.pem | server.key | ca.pem | certificate: {missing.pem}: there is no such file",
        "server.key | server.key | ca.pem | certificate: {server.key}: holds no certificate;",
        "server.pem | missing.pem | ca.pem | key: {missing.pem}: there is no such file",
        "server.pem | server.pem | ca.pem | key: {server.pem}: holds no private key;",
        "server.pem | second.key | ca.pem | key: {second.key}: doesn't fit the certificate in",
        "expired.pem | expired.key | ca.pem | certificate: {expired.pem}: expired at 20",
        "server.pem | server.key | server.key | client-ca: {server.key}: holds no certificate;",
        "server.pem | server.key | old-ca.pem | client-ca: {old-ca.pem}: all its certificates are",
        "server.pem | server.key | next-ca.pem | client-ca: {next-ca.pem}: no certificate of it is",
      })
  void badFile_refusedWithKeyFileAndRule(
      String certificate, String key, String clientCa, String problem) throws Exception {
    replace(second.key(), "second.key");
    replace(expired.certificate(), "expired.pem");
    replace(expired.key(), "expired.key");
    Files.writeString(used.resolve("old-ca.pem"), expired.own());
    Files.writeString(used.resolve("next-ca.pem"), later.own());
    String expected =
        "not started: whence.grpc.tls." + problem.replace("{", used + "/").replace("}", "");

    assertThat(ServerProcess.refusal(data, files(certificate, key, clientCa)))
        .containsOnlyOnce("FATAL")
        .contains(expected)
        .doesNotContain("\tat ");
  }

  private ServerProcess start() {
    return ServerProcess.start(
        data,
        "whence.grpc.tls.certificate=" + used.resolve("server.pem"),
        "whence.grpc.tls.key=" + used.resolve("server.key"));
  }

  private ServerProcess startMutual() {
    return ServerProcess.start(data, files("server.pem", "server.key", "ca.pem"));
  }

  private String[] files(String certificate, String key, String clientCa) {
    return new String[] {
      "whence.grpc.tls.certificate=" + used.resolve(certificate),
      "whence.grpc.tls.key=" + used.resolve(key),
      "whence.grpc.tls.client-ca=" + used.resolve(clientCa),
      "whence.grpc.tls.reload=100ms",
    };
  }

  private void use(Issued issued) throws IOException {
    replace(issued.key(), "server.key");
    replace(issued.certificate(), "server.pem");
  }

  /** Puts a file in another's place at once, as whoever renews certificates does. */
  private void replace(Path source, String name) throws IOException {
    Path next = Files.copy(source, used.resolve(name + ".next"));
    Files.move(next, used.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void awaitReloads(ServerProcess server, int count) {
    await(() -> server.log().split("certificates reloaded: ", -1).length - 1 >= count);
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(60))
        .until(condition);
  }

  private static ChannelCredentials trusting(CertificateAuthority ca) throws IOException {
    return TlsChannelCredentials.newBuilder().trustManager(ca.file().toFile()).build();
  }

  private static ChannelCredentials showing(CertificateAuthority ca, Issued own)
      throws IOException {
    return TlsChannelCredentials.newBuilder()
        .trustManager(ca.file().toFile())
        .keyManager(own.certificate().toFile(), own.key().toFile())
        .build();
  }

  private static void assertAnswered(ServerProcess server, ChannelCredentials credentials)
      throws Exception {
    try (Client fresh = new Client(server.grpcPort(), credentials)) {
      assertThat(topics(fresh.channel)).isZero();
    }
  }

  private static void assertRefused(ServerProcess server, ChannelCredentials credentials)
      throws InterruptedException {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.grpcPort(), credentials).build();
    try {
      StatusRuntimeException failure = Client.failure(() -> topics(channel));
      assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    } finally {
      channel.shutdownNow();
      channel.awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static int topics(ManagedChannel channel) {
    return LogServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .listTopics(ListTopicsRequest.getDefaultInstance())
        .getTopicsCount();
  }
}
