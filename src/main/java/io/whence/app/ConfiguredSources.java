package io.whence.app;

import io.quarkus.arc.DefaultBean;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.ops.GroupMetrics;
import io.whence.ops.KafkaMetrics;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** The sources that the settings ask for. Thread safety: immutable. */
@DefaultBean
@ApplicationScoped
class ConfiguredSources implements SourcePlan {
  private final WhenceConfig config;
  private final InstantSource clock;
  private final LogEvents events;
  private final GroupMetrics groupMetrics;
  private final LogMemory memory;
  private final KafkaMetrics kafkaMetrics;

  ConfiguredSources(
      WhenceConfig config,
      InstantSource clock,
      LogEvents events,
      GroupMetrics groupMetrics,
      LogMemory memory,
      KafkaMetrics kafkaMetrics) {
    this.config = config;
    this.clock = clock;
    this.events = events;
    this.groupMetrics = groupMetrics;
    this.memory = memory;
    this.kafkaMetrics = kafkaMetrics;
  }

  @Override
  public List<SourceLifecycle> sources() {
    List<SourceLifecycle> sources = new ArrayList<>();
    if (config.embedded().enabled()) {
      sources.add(new EmbeddedLifecycle(config, clock, events, groupMetrics, memory));
    }
    config.archive().forEach((name, archive) -> sources.add(archived(name, archive)));
    config.kafka().forEach((name, kafka) -> sources.add(followed(name, kafka)));
    return sources;
  }

  private SourceLifecycle archived(String name, WhenceConfig.ArchiveConfig archive) {
    return new ArchiveLifecycle(name, archive, cacheOf(name, archive), clock, memory, events);
  }

  private SourceLifecycle followed(String name, KafkaConfig kafka) {
    Path directory = kafka.dir().orElseGet(() -> besideData("-kafka").resolve(name));
    Following shared = new Following(clock, events, memory, kafkaMetrics);
    return new KafkaLifecycle(name, kafka, directory, config.groups(), shared);
  }

  private Path besideData(String suffix) {
    Path data = config.data().toAbsolutePath().normalize();
    return data.resolveSibling(data.getFileName() + suffix);
  }

  private Path cacheOf(String name, WhenceConfig.ArchiveConfig archive) {
    return archive.cache().orElseGet(() -> besideData("-cache").resolve(name));
  }
}
