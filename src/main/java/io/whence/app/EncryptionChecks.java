package io.whence.app;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that nothing is said in the clear to other machines unless the operator wants it. Every
 * problem starts with the key. Thread safety: single-writer.
 */
final class EncryptionChecks {
  private final List<String> problems = new ArrayList<>();
  private final GrpcConfig grpc;
  private final HttpConfig http;

  private EncryptionChecks(GrpcConfig grpc, HttpConfig http) {
    this.grpc = grpc;
    this.http = http;
  }

  /** Returns what is wrong; empty if nothing is. */
  static List<String> problems(GrpcConfig grpc, HttpConfig http) {
    EncryptionChecks checks = new EncryptionChecks(grpc, http);
    checks.files(grpc.tls());
    checks.grpcHost();
    checks.httpHost();
    return List.copyOf(checks.problems);
  }

  private void files(TlsConfig tls) {
    if (tls.certificate().isPresent() && tls.key().isEmpty()) {
      problems.add("whence.grpc.tls.key: is missing; whence.grpc.tls.certificate needs its key");
    }
    if (tls.certificate().isEmpty() && tls.key().isPresent()) {
      problems.add("whence.grpc.tls.certificate: is missing; there is only whence.grpc.tls.key");
    }
    if (tls.clientCa().isPresent() && tls.certificate().isEmpty() && tls.key().isEmpty()) {
      problems.add(
          "whence.grpc.tls.certificate: is missing; whence.grpc.tls.client-ca counts only with TLS");
    }
  }

  private void grpcHost() {
    boolean allowed = isEncrypted() || grpc.allowPlaintext();
    if (isReachable("whence.grpc.host", grpc.host()) && !allowed) {
      problems.add(
          "whence.grpc.host: "
              + grpc.host()
              + " is reachable from other machines and the connection is not encrypted; set"
              + " whence.grpc.tls.certificate and whence.grpc.tls.key, or"
              + " whence.grpc.allow-plaintext=true if that is wanted, or use 127.0.0.1");
    }
  }

  private void httpHost() {
    if (http.host().isEmpty() && !isEncrypted()) {
      return; // What is wrong with it is wrong with the address of gRPC, too.
    }
    String host = http.host().orElse(grpc.host());
    boolean allowed = http.allowPlaintext() || (http.host().isEmpty() && grpc.allowPlaintext());
    if (isReachable("whence.http.host", host) && !allowed) {
      problems.add(
          "whence.http.host: "
              + host
              + " is reachable from other machines, and health and metrics are not encrypted; set"
              + " whence.http.allow-plaintext=true if that is wanted, or whence.http.host=127.0.0.1");
    }
  }

  private boolean isEncrypted() {
    return grpc.tls().certificate().isPresent();
  }

  private boolean isReachable(String key, String host) {
    try {
      return !InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      String problem = key + ": '" + host + "' is no address of this machine";
      if (key.equals("whence.grpc.host") || http.host().isPresent()) {
        problems.add(problem);
      }
      return false;
    }
  }
}
