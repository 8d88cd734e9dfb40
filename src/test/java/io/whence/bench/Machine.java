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

/** Where and when something is measured. Thread safety: thread-safe. */
public final class Machine {
  /** Memory and garbage collector of both servers: as Kafka's own scripts start a broker. */
  public static final List<String> SERVER_OPTIONS =
      List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20");

  private Machine() {}

  /** Returns the conditions that all figures depend on, by name, as they are before the load. */
  public static Map<String, String> conditions() throws IOException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("commit", System.getProperty("whence.commit", "unknown"));
    conditions.put("when", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    conditions.put(
        "machine",
        String.format(
            Locale.ROOT,
            "%d processors, %s; load average %.1f before",
            system.getAvailableProcessors(),
            system.getArch(),
            system.getSystemLoadAverage()));
    conditions.put(
        "disk", Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir"))).type());
    return conditions;
  }

  /** Says on standard error what is being done, and when. */
  public static void progress(String what) {
    long ms = ManagementFactory.getRuntimeMXBean().getUptime();
    System.err.printf(Locale.ROOT, "-- %5.1f s: %s%n", ms / 1000.0, what);
  }
}
