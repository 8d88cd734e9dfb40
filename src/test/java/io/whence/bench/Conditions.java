package io.whence.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/** What the figures depend on. Thread safety: immutable. */
final class Conditions {
  private Conditions() {}

  /** Returns the conditions by name, as they are before the load. */
  static Map<String, String> of(Plan plan, List<String> jvmOptions) throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("when", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    conditions.put("machine", machine());
    conditions.put(
        "disk", Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir"))).type());
    conditions.put(
        "servers",
        "Kafka %s and Whence, each with %s"
            .formatted(AppInfoParser.getVersion(), String.join(" ", jvmOptions)));
    conditions.put(
        "client",
        "one JVM for all callers, Java %d; gRPC: a connection for every %d callers; Kafka: a consumer for each"
            .formatted(Runtime.version().feature(), Channels.CALLERS_EACH));
    conditions.put("rounds", rounds(plan));
    return conditions;
  }

  private static String machine() {
    OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
    return String.format(
        Locale.ROOT,
        "%d processors, %s; load average %.1f before",
        machine.getAvailableProcessors(),
        machine.getArch(),
        machine.getSystemLoadAverage());
  }

  private static String rounds(Plan plan) {
    return String.format(
        Locale.ROOT,
        "%d, interleaved, of %.1f s for each kind of commit; medians",
        plan.rounds(),
        plan.seconds());
  }
}
