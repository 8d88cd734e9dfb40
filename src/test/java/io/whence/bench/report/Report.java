package io.whence.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a load test found. Thread safety: immutable.
 *
 * @param sections its parts, in order
 */
public record Report(List<Section> sections) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final String GOALS = "goals";

  /** Copies. */
  public Report {
    sections = List.copyOf(sections);
  }

  /** Reads what {@link #write} wrote; nothing if there is no such file. */
  public static Report read(Path file) throws IOException {
    return Files.exists(file) ? JSON.readValue(file.toFile(), Report.class) : new Report(List.of());
  }

  /** Writes it as JSON. */
  public void write(Path file) throws IOException {
    Files.writeString(file, JSON.writeValueAsString(this) + "\n");
  }

  /** Returns this with the sections of another, which replace those of the same names. */
  public Report with(Report newer) {
    Map<String, Section> byName = new LinkedHashMap<>();
    sections.forEach(section -> byName.put(section.name(), section));
    newer.sections.forEach(section -> byName.put(section.name(), section));
    return new Report(List.copyOf(byName.values()));
  }

  /** Returns it as Markdown. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Section section : sections) {
      lines.add("## " + section.name());
      lines.add("");
      lines.addAll(section.lines());
      lines.add("");
    }
    if (sections.stream().anyMatch(section -> !section.goals().isEmpty())) {
      lines.addAll(goals().lines());
    }
    return lines;
  }

  private Table goals() {
    return Section.goals(sections.stream().flatMap(section -> section.goals().stream()).toList());
  }

  /**
   * Puts it into the documents of the project, beside the newest results of other parts: {@code
   * docs/performance.json} has them all, {@code docs/PERFORMANCE.md} is filled from it.
   */
  public void writeDocs() throws IOException {
    Path docs = Path.of(System.getProperty("basedir", "")).resolve("docs");
    Path known = docs.resolve("performance.json");
    Report all = read(known).with(this);
    all.write(known);
    all.fill(docs.resolve("PERFORMANCE.md"));
  }

  /**
   * Puts it where a document has marks for it: {@code <!-- begin NAME -->} and {@code <!-- end NAME
   * -->}, the name that of a section, or "goals" for those of all.
   */
  public void fill(Path document) throws IOException {
    String text = Files.readString(document);
    text = filled(text, GOALS, goals().lines());
    for (Section section : sections) {
      text = filled(text, section.name(), section.lines());
    }
    Files.writeString(document, text);
  }

  private static String filled(String text, String name, List<String> lines) {
    String begin = "<!-- begin " + name + " -->\n";
    int from = text.indexOf(begin);
    int to = text.indexOf("<!-- end " + name + " -->");
    if (from < 0 || to < from) {
      throw new IllegalStateException("the document has no marks for '" + name + "'");
    }
    return text.substring(0, from + begin.length())
        + "\n"
        + String.join("\n", lines)
        + "\n\n"
        + text.substring(to);
  }
}
