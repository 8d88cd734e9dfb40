package io.whence.app;

import io.smallrye.config.ConfigMappings;
import io.smallrye.config.ConfigMappings.ConfigClass;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds environment variables that are meant as settings and are none. */
final class EnvironmentChecks {
  private static final String PREFIX = "WHENCE_";
  private static final Pattern NAMED = Pattern.compile("WHENCE_(ARCHIVE|KAFKA)_.*");
  private static final String ANY_ARCHIVE = "whence.archive.*.";
  private static final String ANY_CLUSTER = "whence.kafka.*.";

  /** What Kubernetes sets in every pod when a service is named "whence". */
  private static final Pattern SERVICE_LINK =
      Pattern.compile("WHENCE_SERVICE_(HOST|PORT(_.*)?)|WHENCE_PORT(_[0-9]+_(TCP|UDP)(_.*)?)?");

  /** What the launcher and the command line take from the same environment. */
  private static final Set<String> OF_COMMAND_LINE =
      Set.of(
          "WHENCE_SERVER",
          "WHENCE_TLS",
          "WHENCE_TLS_CA",
          "WHENCE_TLS_CERT",
          "WHENCE_TLS_KEY",
          "WHENCE_TLS_SERVER_NAME",
          "WHENCE_SKIP_BUILD",
          "WHENCE_JAVA_OPTS",
          "WHENCE_CLI_JAVA_OPTS");

  private EnvironmentChecks() {}

  /**
   * Returns what is wrong; empty if nothing is. Quarkus checks all other origins of settings.
   *
   * @param archives the names of the archives that are set, wherever. A variable can't make one
   *     whose name has a dash: it says nothing of where words end
   * @param clusters the names of the clusters that are set, likewise
   */
  static List<String> problems(
      Map<String, String> environment, Set<String> archives, Set<String> clusters) {
    List<Pattern> known =
        ConfigMappings.getProperties(ConfigClass.configClass(WhenceConfig.class)).keySet().stream()
            .flatMap(key -> withNames(key, ANY_ARCHIVE, archives))
            .flatMap(key -> withNames(key, ANY_CLUSTER, clusters))
            .map(EnvironmentChecks::pattern)
            .toList();
    return environment.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(PREFIX))
        .filter(entry -> !isServiceLink(entry))
        .filter(entry -> !OF_COMMAND_LINE.contains(entry.getKey()))
        .map(Map.Entry::getKey)
        .filter(name -> matching(known, name).findAny().isEmpty())
        .sorted()
        .map(EnvironmentChecks::problem)
        .toList();
  }

  private static Stream<String> withNames(String key, String prefix, Set<String> names) {
    return key.startsWith(prefix)
        ? names.stream().map(name -> prefix.replace("*", name) + key.substring(prefix.length()))
        : Stream.of(key);
  }

  private static String problem(String variable) {
    Matcher named = NAMED.matcher(variable);
    return named.matches()
        ? variable
            + ": there is no such setting of "
            + (named.group(1).equals("KAFKA") ? "a cluster" : "an archive")
            + " that is set; from the environment alone, its name can't have a dash"
        : variable + ": there is no such setting";
  }

  private static boolean isServiceLink(Map.Entry<String, String> variable) {
    return SERVICE_LINK.matcher(variable.getKey()).matches()
        && (!variable.getKey().equals("WHENCE_PORT") || variable.getValue().contains("://"));
  }

  private static Stream<Pattern> matching(List<Pattern> known, String name) {
    return known.stream().filter(pattern -> pattern.matcher(name).matches());
  }

  private static Pattern pattern(String property) {
    String upper = property.toUpperCase(Locale.ROOT).replace("[*]", "(_[0-9]+_)?");
    return Pattern.compile(upper.replaceAll("[.-]", "_"));
  }
}
