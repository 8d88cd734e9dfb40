package io.whence.app;

import io.smallrye.config.ConfigMappingInterface.Property;
import io.smallrye.config.ConfigMappings;
import io.smallrye.config.ConfigMappings.ConfigClass;
import io.smallrye.config.SmallRyeConfig;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds settings that are true or false and are given a word that is neither. */
final class BooleanChecks {
  /** What else is not true is taken as false by the one who reads it. */
  private static final Set<String> FALSE = Set.of("false", "no", "n", "off", "0");

  private BooleanChecks() {}

  /**
   * Returns what is wrong, each problem beginning with the key; empty if nothing is.
   *
   * @param given has what the values were made from
   */
  static List<String> problems(SmallRyeConfig given, WhenceConfig values) {
    return ConfigMappings.getProperties(ConfigClass.configClass(WhenceConfig.class))
        .entrySet()
        .stream()
        .filter(entry -> isBoolean(entry.getValue()))
        .map(Map.Entry::getKey)
        .flatMap(key -> withNames(key, values.archive().keySet(), "whence.archive.*"))
        .flatMap(key -> withNames(key, values.kafka().keySet(), "whence.kafka.*"))
        .sorted()
        .flatMap(key -> problem(given, key).stream())
        .toList();
  }

  private static boolean isBoolean(Property property) {
    return property.isPrimitive() && property.asPrimitive().getPrimitiveType() == boolean.class;
  }

  private static Stream<String> withNames(String key, Set<String> names, String prefix) {
    return key.startsWith(prefix)
        ? names.stream().map(name -> prefix.replace("*", name) + key.substring(prefix.length()))
        : Stream.of(key);
  }

  private static Optional<String> problem(SmallRyeConfig given, String key) {
    return Optional.ofNullable(given.getConfigValue(key).getValue())
        .filter(value -> !FALSE.contains(value.toLowerCase(Locale.ROOT)))
        .filter(value -> !Boolean.TRUE.equals(given.convert(value, Boolean.class)))
        .map(value -> key + ": '" + value + "' is neither true nor false");
  }
}
