package io.whence.ops;

import java.util.List;

/** The metrics of the certificates of the gRPC server. Thread safety: immutable. */
enum TlsMetric implements Metric {
  CERTIFICATE_EXPIRES_SECONDS(
      "whence.tls.certificate.expires.seconds",
      Kind.GAUGE,
      "until the first certificate of the chain that new connections are shown expires; "
          + "negative: for how long it has been; `NaN` without TLS"),
  CLIENT_CA_EXPIRES_SECONDS(
      "whence.tls.client.ca.expires.seconds",
      Kind.GAUGE,
      "until the last certificate of the client CA expires; negative: for how long it has been; "
          + "`NaN` where clients show no certificates"),
  RELOAD_FAILURES(
      "whence.tls.reload.failures",
      Kind.COUNTER,
      "looks at the files of certificates, every `whence.grpc.tls.reload`, that found others than "
          + "are in use, which can't be used; the first of a kind has a WARN line in the log");

  @SuppressWarnings("ImmutableEnumChecker") // A record of strings whose list never changes.
  private final Spec spec;

  TlsMetric(String name, Kind kind, String meaning, String... labels) {
    spec = new Spec(name, kind, meaning, List.of(labels));
  }

  @Override
  public Spec spec() {
    return spec;
  }
}
