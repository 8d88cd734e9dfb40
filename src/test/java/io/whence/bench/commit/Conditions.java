package io.whence.bench.commit;

import io.whence.bench.Channels;
import io.whence.bench.Machine;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/** What the figures depend on. Thread safety: immutable. */
final class Conditions {
  private Conditions() {}

  /** Returns the conditions by name, as they are before the load. */
  static Map<String, String> of(Plan plan) throws IOException {
    Map<String, String> conditions = Machine.conditions();
    conditions.put(
        "servers",
        "Kafka %s and Whence, each with %s"
            .formatted(AppInfoParser.getVersion(), String.join(" ", Machine.SERVER_OPTIONS)));
    conditions.put(
        "client",
        "one JVM for all callers, Java %d; gRPC: a connection for every %d callers; Kafka: a consumer for each"
            .formatted(Runtime.version().feature(), Channels.CALLERS_EACH));
    conditions.put(
        "rounds",
        String.format(
            Locale.ROOT,
            "%d, interleaved, of %.1f s for each kind of commit; medians",
            plan.rounds(),
            plan.seconds()));
    return conditions;
  }
}
