package io.whence.app;

import io.quarkus.runtime.configuration.MemorySize;
import java.net.URI;
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
  private static final int MAX_HISTORY = 100;
  private static final int MAX_LANES = 64;

  /** In UTF-8 they take three bytes each, and Kafka's format has two bytes for the length. */
  private static final int MAX_METADATA_CHARS = Short.MAX_VALUE / 3;

  private static final int MIN_SEGMENT_BYTES = 1 << 20;
  private static final Duration LONGEST_REQUEST = Duration.ofHours(1);
  private static final Pattern SOURCE_NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

  private final List<String> problems = new ArrayList<>();

  private ConfigChecks() {}

  /** Returns what is wrong; empty if nothing is. */
  static List<String> problems(WhenceConfig config) {
    ConfigChecks checks = new ConfigChecks();
    checks.limits(config);
    checks.groups(config.groups());
    checks.grpc(config.grpc());
    checks.port("whence.http.port", config.http().port());
    checks.traces(config.traces());
    checks.problems.addAll(EncryptionChecks.problems(config.grpc(), config.http()));
    config.archive().forEach(checks::archive);
    config.kafka().forEach(checks::kafka);
    checks.distinctNames(config);
    checks.anySource(config);
    return List.copyOf(checks.problems);
  }

  private void limits(WhenceConfig config) {
    positive("whence.limits.partitions-per-call", config.limits().partitionsPerCall());
    positive("whence.limits.offsets-per-call", config.limits().offsetsPerCall());
    positive("whence.limits.records-per-append", config.limits().recordsPerAppend());
    positive("whence.limits.calls-in-flight", config.limits().callsInFlight());
    positive(
        "whence.limits.calls-in-flight-per-connection",
        config.limits().callsInFlightPerConnection());
    positive("whence.limits.default-deadline", config.limits().defaultDeadline());
    positive("whence.limits.stream-stall", config.limits().streamStall());
    positive("whence.limits.watches", config.limits().watches());
    positive("whence.limits.watched-partitions", config.limits().watchedPartitions());
    positive("whence.limits.watch-stall", config.limits().watchStall());
    positive("whence.workers.threads", config.workers().threads().orElse(1));
    positive("whence.workers.write-threads", config.workers().writeThreads().orElse(1));
    positive("whence.workers.queue", config.workers().queue());
    positive("whence.embedded.flush-threads", config.embedded().flushThreads());
    positive("whence.embedded.retention-interval", config.embedded().retentionInterval());
    notNegative("whence.embedded.file-delete-delay", config.embedded().fileDeleteDelay());
    notNegative("whence.preload.recent", config.preload().recent());
    notNegative("whence.shutdown.delay", config.shutdown().delay());
    notNegative("whence.shutdown.grace", config.shutdown().grace());
  }

  private void groups(GroupsConfig groups) {
    positive("whence.groups.retention", groups.retention());
    positive("whence.groups.expiry-interval", groups.expiryInterval());
    between("whence.groups.history", 0, MAX_HISTORY, groups.history());
    positive("whence.groups.request-window", groups.requestWindow());
    positive("whence.groups.max-requests", groups.maxRequests());
    positive("whence.groups.plan-ttl", groups.planTtl());
    between("whence.groups.metadata-max-chars", 0, MAX_METADATA_CHARS, groups.metadataMaxChars());
    between(
        "whence.groups.segment-bytes",
        MIN_SEGMENT_BYTES,
        Integer.MAX_VALUE,
        groups.segmentBytes().asLongValue());
    positive("whence.groups.compaction-interval", groups.compactionInterval());
  }

  private void grpc(GrpcConfig grpc) {
    port("whence.grpc.port", grpc.port());
    size("whence.grpc.max-inbound-message-size", grpc.maxInboundMessageSize());
    size("whence.grpc.max-inbound-metadata-size", grpc.maxInboundMetadataSize());
    size("whence.grpc.flow-control-window", grpc.flowControlWindow());
    positive("whence.grpc.tls.reload", grpc.tls().reload());
    positive("whence.grpc.keep-alive-time", grpc.keepAliveTime());
    positive("whence.grpc.keep-alive-timeout", grpc.keepAliveTimeout());
    positive("whence.grpc.permit-keep-alive-time", grpc.permitKeepAliveTime());
    positive("whence.grpc.max-connection-age", grpc.maxConnectionAge());
    positive("whence.grpc.max-connection-age-grace", grpc.maxConnectionAgeGrace());
    positive(
        "whence.grpc.max-concurrent-calls-per-connection", grpc.maxConcurrentCallsPerConnection());
    positive("whence.grpc.max-resets-per-connection", grpc.maxResetsPerConnection());
  }

  private void traces(TracesConfig traces) {
    traces
        .endpoint()
        .filter(endpoint -> !isHttp(endpoint))
        .ifPresent(
            endpoint ->
                problems.add(
                    "whence.traces.endpoint: '"
                        + endpoint
                        + "' is no address such as http://localhost:4317"));
    if (!(traces.ratio() >= 0 && traces.ratio() <= 1)) {
      problems.add("whence.traces.ratio: " + traces.ratio() + " is not between 0 and 1");
    }
  }

  private static boolean isHttp(URI endpoint) {
    return ("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
        && endpoint.getHost() != null;
  }

  private void archive(String name, WhenceConfig.ArchiveConfig archive) {
    String key = "whence.archive." + name;
    sourceName(key, name);
    if (archive.dirs().isEmpty()) {
      problems.add(key + ".dirs: give at least one directory");
    }
    pattern(key + ".topics", archive.topics().orElse(""));
  }

  private void kafka(String name, KafkaConfig kafka) {
    String key = "whence.kafka." + name;
    sourceName(key, name);
    if (kafka.bootstrap().isEmpty()) {
      problems.add(key + ".bootstrap: give at least one broker, as host:port");
    }
    pattern(key + ".topics", kafka.topics().orElse(""));
    pattern(key + ".exclude", kafka.exclude().orElse(""));
    start(key + ".start", kafka.start());
    between(key + ".lanes", 1, MAX_LANES, kafka.lanes());
    positive(key + ".refresh", kafka.refresh());
    positive(key + ".request-timeout", kafka.requestTimeout());
    if (kafka.requestTimeout().compareTo(LONGEST_REQUEST) > 0) {
      problems.add(key + ".request-timeout: must be an hour at the most");
    }
    positive(key + ".max-staleness", kafka.maxStaleness());
    notNegative(key + ".lag-interval", kafka.lagInterval());
    pattern(key + ".lag-groups", kafka.lagGroups().orElse(""));
    positive(key + ".lag-max-series", kafka.lagMaxSeries());
    positive(key + ".compaction-check", kafka.compactionCheck());
  }

  private void start(String key, String start) {
    try {
      StartSetting.parse(start);
    } catch (IllegalArgumentException e) {
      problems.add(key + ": " + e.getMessage());
    }
  }

  private void sourceName(String key, String name) {
    if (!SOURCE_NAME.matcher(name).matches() || name.equals("embedded")) {
      problems.add(key + ": a source needs a name of a-z, 0-9 and -, other than embedded");
    }
  }

  private void distinctNames(WhenceConfig config) {
    for (String name : config.kafka().keySet()) {
      if (config.archive().containsKey(name)) {
        problems.add("whence.kafka." + name + ": there is an archive of that name, too");
      }
    }
  }

  private void pattern(String key, String pattern) {
    try {
      Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      problems.add(key + ": no regular expression: " + e.getDescription());
    }
  }

  private void anySource(WhenceConfig config) {
    if (!config.embedded().enabled() && config.archive().isEmpty() && config.kafka().isEmpty()) {
      problems.add(
          "whence.embedded.enabled: is false and there is neither whence.archive.NAME.dirs nor"
              + " whence.kafka.NAME.bootstrap, so there would be nothing to ask; give one of them");
    }
  }

  private void port(String key, int port) {
    between(key, 0, MAX_PORT, port);
  }

  private void between(String key, long lowest, long highest, long value) {
    if (value < lowest || value > highest) {
      problems.add(key + ": " + value + " is not between " + lowest + " and " + highest);
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
