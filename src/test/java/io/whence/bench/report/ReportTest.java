package io.whence.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final Section SPEED =
      new Section(
          "speed",
          Map.of("when", "today"),
          List.of(
              new Table(
                  "Calls",
                  List.of("peer", "n", "ms"),
                  List.of(List.of("a", 10_000, 0.0123), List.of("b", 7L, 1234.5)))),
          List.of(
              Goal.atMost(1.3, "calls", "no-op", 1.2), Goal.atLeast(50, "lookups/s", "Kafka", 49)),
          List.of("quiet machine"));

  @TempDir private Path directory;

  @Test
  void json_readBack_isTheSameReport() throws Exception {
    Path file = directory.resolve("report.json");
    new Report(List.of(SPEED)).write(file);
    assertThat(Report.read(file).lines()).isEqualTo(new Report(List.of(SPEED)).lines());
  }

  @Test
  void json_ofNoFile_isEmpty() throws Exception {
    assertThat(Report.read(directory.resolve("none.json")).sections()).isEmpty();
  }

  @Test
  void markdown_hasFiguresGoalsAndConditions() {
    assertThat(SPEED.lines())
        .contains(
            "| peer | n | ms |",
            "| :-- | --: | --: |",
            "| a | 10,000 | 0.012 |",
            "| b | 7 | 1,235 |",
            "| calls | no-op | ≤ 1.30 | 1.20 | met |",
            "| lookups/s | Kafka | ≥ 50.00 | 49.00 | NOT MET |",
            "- quiet machine",
            "- measured: today");
  }

  @Test
  void newer_replacesTheSectionOfItsName() {
    Section other = new Section("other", Map.of(), List.of(), List.of(), List.of("kept"));
    Section newer = new Section("speed", Map.of(), List.of(), List.of(), List.of("newer"));
    assertThat(new Report(List.of(SPEED, other)).with(new Report(List.of(newer))).sections())
        .containsExactly(newer, other);
  }

  @Test
  void document_isFilledBetweenItsMarks_asOftenAsOneLikes() throws Exception {
    Path document = directory.resolve("doc.md");
    Files.writeString(
        document,
        "# A\n\n<!-- begin goals -->\n<!-- end goals -->\n\n<!-- begin speed -->\nold\n<!-- end speed -->\n\nend\n");
    new Report(List.of(SPEED)).fill(document);
    String once = Files.readString(document);
    new Report(List.of(SPEED)).fill(document);
    assertThat(Files.readString(document)).isEqualTo(once);
    assertThat(once)
        .startsWith("# A\n\n<!-- begin goals -->\n\nGoals:\n")
        .contains("| a | 10,000 | 0.012 |")
        .doesNotContain("old")
        .endsWith("<!-- end speed -->\n\nend\n");
  }

  @Test
  void document_withoutMarks_isRefused() throws Exception {
    Path document = directory.resolve("doc.md");
    Files.writeString(document, "# A\n");
    assertThatThrownBy(() -> new Report(List.of(SPEED)).fill(document))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("goals");
  }

  @Test
  void table_withARowOfOtherWidth_isRefused() {
    assertThatThrownBy(() -> new Table("t", List.of("a"), List.of(List.of("x", "y"))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
