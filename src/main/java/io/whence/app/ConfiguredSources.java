package io.whence.app;

import io.quarkus.arc.DefaultBean;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.ops.GroupMetrics;
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

  ConfiguredSources(
      WhenceConfig config,
      InstantSource clock,
      LogEvents events,
      GroupMetrics groupMetrics,
      LogMemory memory) {
    this.config = config;
    this.clock = clock;
    this.events = events;
    this.groupMetrics = groupMetrics;
    this.memory = memory;
  }

  @Override
  public List<SourceLifecycle> sources() {
    List<SourceLifecycle> sources = new ArrayList<>();
    if (config.embedded().enabled()) {
      sources.add(new EmbeddedLifecycle(config, clock, events, groupMetrics, memory));
    }
    config.archive().forEach((name, archive) -> sources.add(archived(name, archive)));
    return sources;
  }

  private SourceLifecycle archived(String name, WhenceConfig.ArchiveConfig archive) {
    return new ArchiveLifecycle(name, archive, cacheOf(name, archive), clock, memory);
  }

  private Path cacheOf(String name, WhenceConfig.ArchiveConfig archive) {
    Path data = config.data().toAbsolutePath().normalize();
    return archive
        .cache()
        .orElseGet(() -> data.resolveSibling(data.getFileName() + "-cache").resolve(name));
  }
}
