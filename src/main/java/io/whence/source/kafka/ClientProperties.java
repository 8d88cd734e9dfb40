package io.whence.source.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * A file of settings of Kafka's clients, as Kafka's tools take it with {@code --command-config}.
 */
public final class ClientProperties {
  private ClientProperties() {}

  /**
   * Reads such a file.
   *
   * @throws IOException if it can't be read
   */
  public static Map<String, String> read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    Map<String, String> settings = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));
    return settings;
  }
}
