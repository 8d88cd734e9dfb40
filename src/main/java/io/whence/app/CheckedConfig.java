package io.whence.app;

import io.smallrye.config.SmallRyeConfig;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.config.Config;

/**
 * The settings, once it is sure that they can be used. Whatever is made from them takes this, so
 * that a bad value is named before anything fails of it. Thread safety: immutable.
 */
@Singleton
class CheckedConfig {
  private final WhenceConfig values;

  CheckedConfig(WhenceConfig values, Config given) {
    List<String> problems =
        new ArrayList<>(BooleanChecks.problems(given.unwrap(SmallRyeConfig.class), values));
    problems.addAll(ConfigChecks.problems(values));
    if (!problems.isEmpty()) {
      throw StartRefusal.of(String.join("; ", problems));
    }
    this.values = values;
  }

  /** Returns the settings. */
  WhenceConfig values() {
    return values;
  }
}
