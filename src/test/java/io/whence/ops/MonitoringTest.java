package io.whence.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.whence.model.Origin;
import io.whence.v1.Outcome;
import io.whence.v1.ResolverServiceGrpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Dashboard and alerts ask for metrics, labels and values that there are. */
class MonitoringTest {
  private static final Path MONITORING = Path.of("k8s/components/monitoring");
  private static final Path OPERATING = Path.of("docs/OPERATING.md");
  private static final Set<String> OF_SCRAPES = Set.of("instance", "job", "namespace");
  private static final Set<String> FUNCTIONS =
      Set.of("absent", "histogram_quantile", "increase", "max", "rate", "sum", "topk");
  private static final Set<String> WORDS = Set.of("and", "by", "on", "or", "without");

  /** What may be counted before the first scrape, and so be no increase to Prometheus. */
  private static final Set<Metric> RAISED_BY_STARTS =
      Set.of(
          LogMetric.WARNINGS, PreloadMetric.FAILURES, PreloadMetric.REBUILDS, GroupMetric.WARNINGS);

  private static final Pattern TOKEN = Pattern.compile("[a-z_][a-z0-9_]*");
  private static final Pattern SELECTOR =
      Pattern.compile("([a-z_][a-z0-9_]*)(?:\\{((?:[^}\"]|\"[^\"]*\")*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!~|!=|=)\"([^\"]*)\"");
  private static final Pattern CALLS =
      Pattern.compile("whence_calls_seconds_(?:count|bucket)\\{([^}]*)}|whence_calls_seconds_");
  private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on|without) \\(([^)]*)\\)");

  /** By name of a series, its labels. */
  private final Map<String, Set<String>> series = series();

  private static Map<String, Set<String>> series() {
    Map<String, Set<String>> series = new HashMap<>();
    for (Metric metric : Metric.all()) {
      String name = metric.spec().exposedName();
      Set<String> labels = new TreeSet<>(metric.spec().labels());
      labels.addAll(OF_SCRAPES);
      if (metric.spec().kind() == Metric.Kind.TIMER
          || metric.spec().kind() == Metric.Kind.SUMMARY) {
        series.put(name + "_count", labels);
        series.put(name + "_sum", labels);
        series.put(name + "_max", labels);
        Set<String> withLe = new TreeSet<>(labels);
        withLe.add("le");
        series.put(name + "_bucket", withLe);
      } else {
        series.put(name, labels);
      }
    }
    series.put("up", OF_SCRAPES);
    series.put("jvm_memory_used_bytes", Set.of("instance", "job", "namespace", "area", "id"));
    series.put("jvm_threads_live_threads", OF_SCRAPES);
    series.put("process_cpu_usage", OF_SCRAPES);
    series.put("process_files_open_files", OF_SCRAPES);
    series.put("process_uptime_seconds", OF_SCRAPES);
    return series;
  }

  @Test
  void dashboard_asksForWhatThereIs() throws IOException {
    JsonNode dashboard =
        new ObjectMapper().readTree(Files.readString(MONITORING.resolve("dashboard.json")));
    List<Integer> ids = new ArrayList<>();
    List<String> queries = new ArrayList<>();
    for (JsonNode panel : dashboard.get("panels")) {
      ids.add(panel.get("id").asInt());
      assertThat(panel.get("title").asText()).isNotBlank();
      JsonNode place = panel.get("gridPos");
      assertThat(place.get("x").asInt() + place.get("w").asInt()).isLessThanOrEqualTo(24);
      if (!panel.get("type").asText().equals("row")) {
        assertThat(panel.get("description").asText()).endsWith(".");
        assertThat(panel.at("/datasource/uid").asText()).isEqualTo("${datasource}");
        assertThat(panel.get("targets")).isNotEmpty();
        panel.get("targets").forEach(target -> queries.add(target.get("expr").asText()));
      }
    }
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(queries)
        .hasSizeGreaterThan(40)
        .allSatisfy(
            query -> {
              check(query.replace("$__rate_interval", "5m"));
              assertThat(query).as("only of the servers that are chosen").contains("$instance");
            });
    String variable = dashboard.at("/templating/list/1/query/query").asText();
    assertThat(variable).isEqualTo("label_values(whence_preload_ready, instance)");
    assertThat(series).containsKey("whence_preload_ready");
  }

  @Test
  void alerts_askForWhatThereIs_andSayWhatToDo() throws IOException {
    YAMLFactory strict = new YAMLFactory();
    strict.enable(com.fasterxml.jackson.core.JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
    JsonNode document;
    try (YAMLParser parser =
        strict.createParser(Files.readString(MONITORING.resolve("alerts.yaml")))) {
      document = new ObjectMapper().readTree(parser);
    }
    assertThat(keys(document)).containsExactly("apiVersion", "kind", "metadata", "spec");
    assertThat(keys(document.get("spec"))).containsExactly("groups");
    List<String> names = new ArrayList<>();
    for (JsonNode group : document.get("spec").get("groups")) {
      assertThat(keys(group)).containsExactly("name", "rules");
      for (JsonNode rule : group.get("rules")) {
        names.add(rule.get("alert").asText());
        checkRule(rule);
      }
    }
    assertThat(names).doesNotHaveDuplicates().isNotEmpty();
    assertThat(names).as("the runbook has each of them, and no other").isEqualTo(runbooks());
  }

  @Test
  void alertsOnShares_leaveOutCallsThatEndByTime() throws IOException {
    Set<String> others = new TreeSet<>(Set.of(CallMetrics.OTHER));
    ResolverServiceGrpc.getServiceDescriptor().getMethods().stream()
        .filter(method -> method.getType() != MethodDescriptor.MethodType.UNARY)
        .forEach(method -> others.add(method.getBareMethodName()));
    assertThat(others).contains("WatchTimestamp", "StreamResolveTimestamp");
    List<String> shares =
        expressions().stream().filter(query -> query.contains("whence_calls_seconds_")).toList();
    assertThat(shares).hasSizeGreaterThan(2);
    for (String query : shares) {
      CALLS
          .matcher(query)
          .results()
          .forEach(calls -> assertThat(leftOut(calls.group(1))).as(query).containsAll(others));
    }
  }

  /** Returns which rpcs conditions leave out. */
  private static Set<String> leftOut(@Nullable String conditions) {
    Set<String> out = new TreeSet<>(rpcs());
    Matcher condition = MATCHER.matcher(conditions == null ? "" : conditions);
    while (condition.find()) {
      List<String> values = List.of(condition.group(3).split("\\|"));
      if (condition.group(1).equals("rpc") && condition.group(2).equals("!~")) {
        out.retainAll(values);
        return out;
      }
      if (condition.group(1).equals("rpc") && condition.group(2).equals("=")) {
        values.forEach(out::remove);
        return out;
      }
    }
    return Set.of();
  }

  @Test
  void alertsOnScrapes_noticeThatThereAreNone() throws IOException {
    List<String> scrapes =
        expressions().stream().filter(query -> query.matches(".*\\bup\\{.*")).toList();
    assertThat(scrapes)
        .isNotEmpty()
        .allSatisfy(
            query -> {
              String up = query.substring(query.indexOf("up{"), query.indexOf('}') + 1);
              assertThat(query).contains("or absent(" + up + ")");
            });
  }

  @Test
  void alertsOnWhatStartsCount_fireForIt() throws IOException {
    for (Metric metric : RAISED_BY_STARTS) {
      String name = metric.spec().exposedName();
      assertThat(expressions())
          .filteredOn(query -> query.contains(name))
          .isNotEmpty()
          .allSatisfy(
              query ->
                  assertThat(query)
                      .contains("increase(" + name + "[1h]) > 0")
                      .contains(
                          name + " > 0 and on (job, instance) process_uptime_seconds < 3600"));
    }
  }

  /** Each server tells the lags of all groups, and one fact is one alert. */
  @Test
  void alertsOnGroups_fireOnceForAllServers() throws IOException {
    Pattern lag =
        Pattern.compile("(max by \\(([^)]*)\\) \\()?(?:increase\\()?whence_group_lag_\\w+");
    List<MatchResult> asked =
        expressions().stream().flatMap(query -> lag.matcher(query).results()).toList();
    assertThat(asked)
        .hasSizeGreaterThan(4)
        .allSatisfy(
            one ->
                assertThat(String.valueOf(one.group(2)))
                    .startsWith("namespace, job, source")
                    .doesNotContain("instance"));
  }

  /** A disk that is full refuses entries of calls that are OK. */
  @Test
  void alertsOnStorage_countAllThatIsWritten() throws IOException {
    for (Metric metric : List.of(CallMetric.COMMITS, CallMetric.APPENDS)) {
      assertThat(expressions())
          .anySatisfy(
              query ->
                  assertThat(query)
                      .contains(
                          metric.spec().exposedName()
                              + "{result=~\"storage_error|storage_full\"}[10m]"));
    }
  }

  private static List<String> expressions() throws IOException {
    JsonNode document =
        new ObjectMapper(new YAMLFactory())
            .readTree(Files.readString(MONITORING.resolve("alerts.yaml")));
    return document.findValuesAsText("expr");
  }

  private void checkRule(JsonNode rule) {
    String name = rule.get("alert").asText();
    assertThat(name).matches("Whence[A-Za-z]+");
    assertThat(keys(rule))
        .as(name)
        .containsExactlyInAnyOrder("alert", "expr", "for", "labels", "annotations");
    check(rule.get("expr").asText());
    assertThat(rule.get("for").asText()).matches("\\d+[mh]");
    assertThat(keys(rule.get("labels"))).containsExactly("severity");
    assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning", "info");
    assertThat(keys(rule.get("annotations")))
        .containsExactlyInAnyOrder("summary", "description", "runbook_url");
    assertThat(rule.at("/annotations/runbook_url").asText())
        .isEqualTo(OPERATING + "#" + name.toLowerCase(Locale.ROOT));
    Matcher labels =
        Pattern.compile("\\$labels\\.(\\w+)").matcher(rule.at("/annotations/description").asText());
    while (labels.find()) {
      assertThat(labelsOf(rule.get("expr").asText())).as(name).contains(labels.group(1));
    }
  }

  /** Returns the labels that the results of a query have. */
  private Set<String> labelsOf(String query) {
    Matcher by = Pattern.compile("\\bby \\(([^)]*)\\)").matcher(query);
    Set<String> labels = new TreeSet<>();
    if (by.find()) {
      labels.addAll(List.of(by.group(1).split(", ")));
      return labels;
    }
    selectors(query).forEach(selector -> labels.addAll(series.get(selector.group(1))));
    return labels;
  }

  private static List<String> runbooks() throws IOException {
    return Pattern.compile("(?m)^### (Whence\\w+)$")
        .matcher(Files.readString(OPERATING))
        .results()
        .map(heading -> heading.group(1))
        .toList();
  }

  private void check(String query) {
    assertThat(query.chars().filter(c -> c == '(').count())
        .as(query)
        .isEqualTo(query.chars().filter(c -> c == ')').count());
    List<MatchResult> selectors = selectors(query);
    assertThat(selectors).as(query).isNotEmpty();
    Set<String> known = new TreeSet<>();
    for (MatchResult selector : selectors) {
      Set<String> labels = series.get(selector.group(1));
      known.addAll(labels);
      String conditions = selector.group(2) == null ? "" : selector.group(2);
      Matcher condition = MATCHER.matcher(conditions);
      int found = 0;
      while (condition.find()) {
        found++;
        assertThat(labels).as(query).contains(condition.group(1));
        checkValue(selector.group(1), condition, query);
      }
      assertThat(conditions.isEmpty() ? 0 : conditions.split(",").length)
          .as(query)
          .isEqualTo(found);
    }
    GROUPING
        .matcher(query)
        .results()
        .flatMap(grouping -> Stream.of(grouping.group(1).split(", ")))
        .forEach(label -> assertThat(known).as(query).contains(label));
  }

  /** Returns the parts of a query that ask for series; all other words must be known, too. */
  private List<MatchResult> selectors(String query) {
    String bare = GROUPING.matcher(query).replaceAll(" ").replaceAll("\\[\\w+]", " ");
    List<MatchResult> selectors = new ArrayList<>();
    SELECTOR
        .matcher(bare)
        .results()
        .filter(match -> !FUNCTIONS.contains(match.group(1)) && !WORDS.contains(match.group(1)))
        .forEach(
            match -> {
              assertThat(TOKEN.matcher(match.group(1)).matches()).isTrue();
              assertThat(series).as(query).containsKey(match.group(1));
              selectors.add(match);
            });
    return selectors;
  }

  private static void checkValue(String metric, MatchResult condition, String query) {
    String label = condition.group(1);
    Set<String> possible = label.equals("result") ? RESULTS.get(metric) : VALUES.get(label);
    if (possible != null) {
      assertThat(possible).as(query).containsAll(List.of(condition.group(3).split("\\|")));
    }
  }

  private static final Map<String, Set<String>> RESULTS =
      Map.of(
          CallMetric.COMMITS.spec().exposedName(), Set.copyOf(CallMetrics.COMMIT_RESULTS),
          CallMetric.APPENDS.spec().exposedName(), Set.copyOf(CallMetrics.APPEND_RESULTS));

  private static final Map<String, Set<String>> VALUES =
      Map.of(
          "status", names(Status.Code.values()),
          "path", lowerCase(names(Origin.values())),
          "area", Set.of("heap", "nonheap"),
          "rpc", rpcs(),
          "outcome",
              Arrays.stream(Outcome.values())
                  .map(outcome -> outcome.name().replace("OUTCOME_", "").toLowerCase(Locale.ROOT))
                  .collect(Collectors.toSet()));

  private static Set<String> rpcs() {
    Set<String> rpcs = new TreeSet<>(CallMetrics.RPCS);
    rpcs.add(CallMetrics.OTHER);
    return rpcs;
  }

  private static Set<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).collect(Collectors.toSet());
  }

  private static Set<String> lowerCase(Set<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  private static List<String> keys(JsonNode node) {
    List<String> keys = new ArrayList<>();
    node.fieldNames().forEachRemaining(keys::add);
    return keys;
  }
}
