package io.whence.app;

import io.quarkus.runtime.configuration.MemorySize;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Checks what the types of the settings leave open. Every problem starts with the key. Thread
 * safety: single-writer.
 */
final class ConfigChecks {
  private static final int MAX_PORT = 65_535;
  private static final Pattern SOURCE_NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

  private final List<String> problems = new ArrayList<>();

  private ConfigChecks() {}

  /** Returns what is wrong; empty if nothing is. */
  static List<String> problems(WhenceConfig config) {
    ConfigChecks checks = new ConfigChecks();
    checks.limits(config);
    checks.grpc(config.grpc());
    checks.port("whence.http.port", config.http().port());
    config.archive().forEach(checks::archive);
    checks.anySource(config);
    return List.copyOf(checks.problems);
  }

  private void limits(WhenceConfig config) {
    positive("whence.limits.partitions-per-call", config.limits().partitionsPerCall());
    positive("whence.limits.offsets-per-call", config.limits().offsetsPerCall());
    positive("whence.limits.records-per-append", config.limits().recordsPerAppend());
    positive("whence.limits.calls-in-flight", config.limits().callsInFlight());
    positive("whence.limits.default-deadline", config.limits().defaultDeadline());
    positive("whence.workers.threads", config.workers().threads().orElse(1));
    positive("whence.workers.queue", config.workers().queue());
    positive("whence.embedded.flush-threads", config.embedded().flushThreads());
    positive("whence.embedded.retention-interval", config.embedded().retentionInterval());
    notNegative("whence.embedded.file-delete-delay", config.embedded().fileDeleteDelay());
    notNegative("whence.shutdown.delay", config.shutdown().delay());
    notNegative("whence.shutdown.grace", config.shutdown().grace());
  }

  private void grpc(GrpcConfig grpc) {
    port("whence.grpc.port", grpc.port());
    size("whence.grpc.max-inbound-message-size", grpc.maxInboundMessageSize());
    size("whence.grpc.max-inbound-metadata-size", grpc.maxInboundMetadataSize());
    size("whence.grpc.flow-control-window", grpc.flowControlWindow());
    positive("whence.grpc.keep-alive-time", grpc.keepAliveTime());
    positive("whence.grpc.keep-alive-timeout", grpc.keepAliveTimeout());
    positive("whence.grpc.permit-keep-alive-time", grpc.permitKeepAliveTime());
    positive("whence.grpc.max-connection-age", grpc.maxConnectionAge());
    positive("whence.grpc.max-connection-age-grace", grpc.maxConnectionAgeGrace());
    positive(
        "whence.grpc.max-concurrent-calls-per-connection", grpc.maxConcurrentCallsPerConnection());
    positive("whence.grpc.max-resets-per-connection", grpc.maxResetsPerConnection());
    host(grpc);
  }

  private void host(GrpcConfig grpc) {
    try {
      if (!InetAddress.getByName(grpc.host()).isLoopbackAddress() && !grpc.allowPlaintext()) {
        problems.add(
            "whence.grpc.host: "
                + grpc.host()
                + " is reachable from other machines and the connection is not encrypted; set"
                + " whence.grpc.allow-plaintext=true if that is wanted, or use 127.0.0.1");
      }
    } catch (UnknownHostException e) {
      problems.add("whence.grpc.host: '" + grpc.host() + "' is no address of this machine");
    }
  }

  private void archive(String name, WhenceConfig.ArchiveConfig archive) {
    String key = "whence.archive." + name;
    if (!SOURCE_NAME.matcher(name).matches() || name.equals("embedded")) {
      problems.add(key + ": a source needs a name of a-z, 0-9 and -, other than embedded");
    }
    if (archive.dirs().isEmpty()) {
      problems.add(key + ".dirs: give at least one directory");
    }
    try {
      Pattern.compile(archive.topics().orElse(""));
    } catch (PatternSyntaxException e) {
      problems.add(key + ".topics: no regular expression: " + e.getDescription());
    }
  }

  private void anySource(WhenceConfig config) {
    if (!config.embedded().enabled() && config.archive().isEmpty()) {
      problems.add(
          "whence.embedded.enabled: is false and there is no whence.archive.NAME.dirs, so there"
              + " would be nothing to ask; give one of them");
    }
  }

  private void port(String key, int port) {
    if (port < 0 || port > MAX_PORT) {
      problems.add(key + ": " + port + " is not between 0 and " + MAX_PORT);
    }
  }

  private void positive(String key, int value) {
    if (value < 1) {
      problems.add(key + ": " + value + " is not positive");
    }
  }

  private void positive(String key, Duration value) {
    if (value.isNegative() || value.isZero()) {
      problems.add(key + ": " + value + " is not positive");
    }
  }

  private void notNegative(String key, Duration value) {
    if (value.isNegative()) {
      problems.add(key + ": " + value + " is negative");
    }
  }

  private void size(String key, MemorySize size) {
    long bytes = size.asLongValue();
    if (bytes < 1 || bytes > Integer.MAX_VALUE) {
      problems.add(key + ": " + bytes + " bytes are not between 1 and " + Integer.MAX_VALUE);
    }
  }
}
