package io.whence.app;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMappingInterface.Property;
import io.smallrye.config.ConfigMappings;
import io.smallrye.config.ConfigMappings.ConfigClass;
import io.whence.log.LogSetting;
import io.whence.log.PreloadOptions;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/configuration.md has what the code has. With {@code -Dwhence.docs.write=true} its tables are
 * written anew; only what the settings mean is kept from the document.
 */
class ConfigurationDocTest {
  private static final Path DOCUMENT = Path.of("docs/configuration.md");
  private static final String HINT =
      "write it anew: mvn test -Dtest=ConfigurationDocTest -Dwhence.docs.write=true";
  private static final Map<Type, String> TYPES =
      Map.ofEntries(
          entry(boolean.class, "`true` or `false`"),
          entry(int.class, "whole number"),
          entry(OptionalInt.class, "whole number"),
          entry(double.class, "number"),
          entry(String.class, "text"),
          entry(Path.class, "path"),
          entry(URI.class, "address"),
          entry(Duration.class, "duration"),
          entry(MemorySize.class, "size"),
          entry(PreloadOptions.Mode.class, "`all`, `recent` or `lazy`"));

  @Test
  void tables_areThoseOfTheCode() throws IOException {
    String document = Files.readString(DOCUMENT);
    String expected =
        replaced(
            replaced(document, "settings", settings(meanings(document))),
            "topics",
            topicSettings());
    if (Boolean.getBoolean("whence.docs.write")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertThat(Files.readString(DOCUMENT)).as(HINT).isEqualTo(expected);
    assertThat(expected).as("say what it means, in the last column").doesNotContain("|  |");
  }

  @Test
  void flags_areThoseOfTheLauncher() throws IOException {
    String launcher = Files.readString(Path.of("whence"));
    Map<String, String> documented = new TreeMap<>();
    matches(
            section(Files.readString(DOCUMENT), "flags"),
            "(?m)^\\| `(--[a-z-]+)[^`]*` \\| `(\\S+?)` ")
        .forEach(row -> documented.put(row.group(1), row.group(2)));
    Set<String> real =
        matches(launcher, "(?m)^  (--[a-z-]+)").stream()
            .map(flag -> flag.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(documented.keySet()).isEqualTo(real);
    assertThat(documented.values())
        .allSatisfy(
            key ->
                assertThat(launcher.replaceAll("\\$(name|value)\\.", "NAME."))
                    .contains("-D" + key));
  }

  @Test
  void readme_namesRealKeys() throws IOException {
    Set<String> keys = new TreeSet<>();
    properties().keySet().forEach(key -> keys.add(written(key)));
    assertThat(matches(Files.readString(Path.of("README.md")), "`(whence\\.[a-zA-Z.-]+)`"))
        .isNotEmpty()
        .allSatisfy(key -> assertThat(keys).contains(key.group(1)));
  }

  private static Map<String, Property> properties() {
    Map<String, Property> leaves = new TreeMap<>();
    ConfigMappings.getProperties(ConfigClass.configClass(WhenceConfig.class))
        .forEach(
            (key, property) -> {
              boolean isGroup = property.isGroup() || property.isMap();
              if (!isGroup && !key.endsWith("[*]")) {
                leaves.put(key, property);
              }
            });
    return leaves;
  }

  private static String written(String key) {
    return key.replace(".*.", ".NAME.");
  }

  private static List<String> settings(Map<String, String> meanings) {
    List<String> rows = new ArrayList<>();
    rows.add("| key | in the environment | type | default | meaning |");
    rows.add("| --- | --- | --- | --- | --- |");
    properties()
        .forEach(
            (key, property) -> {
              String name = written(key);
              rows.add(
                  row(
                      "`" + name + "`",
                      "`" + name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_") + "`",
                      type(property.getMethod().getGenericReturnType()),
                      property.hasDefaultValue() ? "`" + property.getDefaultValue() + "`" : "–",
                      meanings.getOrDefault(name, "")));
            });
    return rows;
  }

  private static String type(Type type) {
    if (type instanceof ParameterizedType generic) {
      String inner = type(generic.getActualTypeArguments()[0]);
      return generic.getRawType() == Optional.class ? inner : inner + "s, between commas";
    }
    assertThat(TYPES).containsKey(type);
    return TYPES.get(type);
  }

  private static List<String> topicSettings() {
    List<String> rows = new ArrayList<>();
    rows.add("| setting | default | value | meaning |");
    rows.add("| --- | --- | --- | --- |");
    Arrays.stream(LogSetting.values())
        .map(
            setting ->
                row(
                    "`" + setting.key() + "`",
                    "`" + setting.defaultValue() + "`",
                    setting.rule(),
                    setting.description()))
        .forEach(rows::add);
    return rows;
  }

  private static Map<String, String> meanings(String document) {
    Map<String, String> meanings = new TreeMap<>();
    matches(section(document, "settings"), "(?m)^\\| `([^`]+)` \\|.* \\| ([^|]*) \\|$")
        .forEach(row -> meanings.put(row.group(1), row.group(2)));
    return meanings;
  }

  private static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  private static String section(String document, String name) {
    String begin = begin(name);
    int start = document.indexOf(begin);
    int end = document.indexOf(end(name));
    assertThat(start).as("the mark " + begin + " in " + DOCUMENT).isNotNegative();
    assertThat(end).as("the mark " + end(name) + " in " + DOCUMENT).isGreaterThan(start);
    return document.substring(start + begin.length(), end);
  }

  private static String replaced(String document, String name, List<String> rows) {
    return document.replace(
        begin(name) + section(document, name) + end(name),
        begin(name) + "\n\n" + String.join("\n", rows) + "\n\n" + end(name));
  }

  private static String begin(String name) {
    return "<!-- begin " + name + " -->";
  }

  private static String end(String name) {
    return "<!-- end " + name + " -->";
  }

  private static List<MatchResult> matches(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().toList();
  }
}
