package io.whence.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What one part of a load test found. Thread safety: immutable.
 *
 * @param name the name by which it is asked for
 * @param conditions what the figures depend on, by name
 * @param tables the figures
 * @param goals what is to be reached
 * @param notes what a reader must know
 */
public record Section(
    String name,
    Map<String, String> conditions,
    List<Table> tables,
    List<Goal> goals,
    List<String> notes) {
  /** Copies. */
  public Section {
    tables = List.copyOf(tables);
    goals = List.copyOf(goals);
    notes = List.copyOf(notes);
  }

  /** Returns the section as Markdown, without a heading. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Table table : tables) {
      lines.addAll(table.lines());
      lines.add("");
    }
    if (!goals.isEmpty()) {
      lines.addAll(goals(goals).lines());
      lines.add("");
    }
    notes.forEach(note -> lines.add("- " + note));
    lines.add("- measured: " + String.join("; ", conditions.values()));
    return lines;
  }

  /** Returns goals side by side. */
  static Table goals(List<Goal> goals) {
    return new Table(
        "Goals",
        List.of("what", "against", "goal", "reached", "outcome"),
        goals.stream()
            .map(
                goal ->
                    List.<Object>of(
                        goal.what(),
                        goal.against(),
                        goal.limitText(),
                        goal.reached(),
                        goal.isMet() ? "met" : "NOT MET"))
            .toList());
  }
}
