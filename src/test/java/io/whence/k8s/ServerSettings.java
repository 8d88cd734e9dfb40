package io.whence.k8s;

import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySize;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.whence.app.WhenceConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings that a server takes from variables, as the server itself understands them. Which
 * variable is which key stands in docs/configuration.md, which is compared with the code elsewhere.
 * Thread safety: immutable.
 */
final class ServerSettings {
  private static final Path DOCUMENT = Path.of("docs/configuration.md");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(whence\\.\\S+)` \\| `(\\S+)` \\|");
  private static final Map<Pattern, String> KEYS = keys();

  private ServerSettings() {}

  /**
   * Returns the keys and values that variables stand for.
   *
   * @throws IllegalArgumentException if one is no setting
   */
  static Map<String, String> byKey(Map<String, String> variables) {
    Map<String, String> settings = new HashMap<>();
    variables.forEach((name, value) -> settings.put(key(name), value));
    return settings;
  }

  /**
   * Returns the settings of the server.
   *
   * @throws IllegalArgumentException if the server doesn't know one, or can't use its value
   */
  static WhenceConfig of(Map<String, String> variables) {
    try {
      return new SmallRyeConfigBuilder()
          .withConverter(Duration.class, 200, new DurationConverter())
          .withConverter(MemorySize.class, 200, new MemorySizeConverter())
          .withMapping(WhenceConfig.class)
          .withSources(new PropertiesConfigSource(byKey(variables), "pod", 100))
          .build()
          .getConfigMapping(WhenceConfig.class);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static String key(String variable) {
    for (Map.Entry<Pattern, String> row : KEYS.entrySet()) {
      Matcher matcher = row.getKey().matcher(variable);
      if (matcher.matches()) {
        return matcher.groupCount() == 0
            ? row.getValue()
            : row.getValue().replace("NAME", matcher.group(1).toLowerCase(Locale.ROOT));
      }
    }
    throw new IllegalArgumentException(variable + ": there is no such setting");
  }

  private static Map<Pattern, String> keys() {
    Map<Pattern, String> keys = new LinkedHashMap<>();
    try {
      Matcher row = ROW.matcher(Files.readString(DOCUMENT));
      while (row.find()) {
        keys.put(Pattern.compile(row.group(2).replace("_NAME_", "_([A-Z0-9]+)_")), row.group(1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return keys;
  }
}
