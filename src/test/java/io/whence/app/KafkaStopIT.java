package io.whence.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.ops.KafkaMetrics;
import io.whence.source.LogSource;
import io.whence.source.SourceHealth.State;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stop of a server whose clusters don't answer any more. */
class KafkaStopIT {
  private static final List<String> NAMES = List.of("east", "west");

  /** What each part may take by its own limits, and far below what a question may take. */
  private static final Duration LIMIT = Duration.ofSeconds(40);

  @TempDir private Path directory;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private SourceLifecycle lifecycle(String name, WhenceConfig config, KafkaMetrics metrics) {
    return new KafkaLifecycle(
        name,
        config.kafka().get(name),
        directory.resolve(name),
        config.groups(),
        new Following(InstantSource.system(), LogEvents.NOOP, LogMemory.usual(), metrics));
  }

  private static WhenceConfig config(KafkaBroker broker) {
    Map<String, String> settings = new HashMap<>();
    for (String name : NAMES) {
      String prefix = "whence.kafka." + name;
      settings.put(prefix + ".bootstrap", broker.bootstrapServers());
      settings.put(prefix + ".lanes", "8");
      settings.put(prefix + ".request-timeout", "5m");
      settings.put(prefix + ".refresh", "200ms");
      settings.put(prefix + ".lag-interval", "200ms");
      settings.put(prefix + ".compaction-check", "1s");
    }
    return new SmallRyeConfigBuilder()
        .withConverter(Duration.class, 200, new DurationConverter())
        .withConverter(MemorySize.class, 200, new MemorySizeConverter())
        .withMapping(WhenceConfig.class)
        .withSources(new PropertiesConfigSource(settings, "test", 100))
        .build()
        .getConfigMapping(WhenceConfig.class);
  }

  @Test
  void brokersThatHang_delayTheStopOnce_notOnceForEach() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(Map.of());
        Admin admin = broker.admin()) {
      KafkaTopics.create(admin, "orders", 24);
      WhenceConfig config = config(broker);
      KafkaMetrics metrics = new KafkaMetrics(registry);
      List<SourceLifecycle> all =
          NAMES.stream().map(name -> lifecycle(name, config, metrics)).toList();
      List<LogSource> sources = new ArrayList<>();
      for (SourceLifecycle lifecycle : all) {
        sources.add(lifecycle.open());
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> sources.stream().allMatch(source -> source.health().state() == State.READY));
      broker.pause();
      long startNanos = System.nanoTime();
      try {
        // A moment, so that everybody waits for an answer.
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        startNanos = System.nanoTime();
        Sources.close(all);
      } finally {
        broker.resume();
      }
      Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
      assertThat(took).isLessThan(LIMIT);
    }
  }
}
