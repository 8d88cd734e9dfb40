package io.whence.app;

import io.quarkus.arc.DefaultBean;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** The sources that the settings ask for. Thread safety: immutable. */
@DefaultBean
@ApplicationScoped
class ConfiguredSources implements SourcePlan {
  @Override
  public List<SourceLifecycle> sources() {
    return List.of();
  }
}
