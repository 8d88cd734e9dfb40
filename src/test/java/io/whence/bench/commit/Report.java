package io.whence.bench.commit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is printed and what is written. Thread safety: immutable.
 *
 * @param conditions of the machine and the run, by name, in order
 * @param results what was measured
 */
record Report(Map<String, String> conditions, Results results) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** Returns the report as Markdown. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    conditions.forEach((name, value) -> lines.add("- " + name + ": " + value));
    lines.add("");
    lines.addAll(new MarkdownTable(results).lines());
    lines.add("");
    new Goals(results).lines().forEach(goal -> lines.add("- " + goal));
    return lines;
  }

  /** Writes the report as JSON. */
  void write(Path file) throws IOException {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("conditions", conditions);
    document.put("results", results.all().stream().map(Report::fields).toList());
    document.put("goals", new Goals(results).lines());
    JSON.writeValue(file.toFile(), document);
  }

  private static Map<String, Object> fields(Result result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("partitions", result.cell().partitions());
    fields.put("callers", result.cell().callers());
    fields.put("role", result.role().name());
    fields.put("peer", result.peer());
    fields.put("p50Ms", result.sample().p50Ms());
    fields.put("p99Ms", result.sample().p99Ms());
    fields.put("callsPerSecond", result.sample().callsPerSecond());
    fields.put("entriesPerSecond", result.entriesPerSecond());
    return fields;
  }
}
