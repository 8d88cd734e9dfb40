package io.whence.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/metrics.md has what the code has. With {@code -Dwhence.docs.write=true} its table is written
 * anew.
 */
class MetricsDocTest {
  private static final Path DOCUMENT = Path.of("docs/metrics.md");
  private static final String BEGIN = "<!-- begin metrics -->";
  private static final String END = "<!-- end metrics -->";

  @Test
  void table_isThatOfTheCode() throws IOException {
    String document = Files.readString(DOCUMENT);
    int begin = document.indexOf(BEGIN) + BEGIN.length();
    int end = document.indexOf(END);
    assertThat(document).contains(BEGIN, END);
    String expected =
        document.substring(0, begin)
            + "\n\n"
            + String.join("\n", rows())
            + "\n\n"
            + document.substring(end);
    if (Boolean.getBoolean("whence.docs.write")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertThat(Files.readString(DOCUMENT))
        .as("write it anew: mvn test -Dtest=MetricsDocTest -Dwhence.docs.write=true")
        .isEqualTo(expected);
  }

  @Test
  void names_areThereOnce() {
    List<String> names = Metric.all().stream().map(metric -> metric.spec().exposedName()).toList();
    assertThat(names)
        .doesNotHaveDuplicates()
        .hasSizeGreaterThan(50)
        .allSatisfy(name -> assertThat(name).matches("whence_[a-z_]+"));
  }

  private static List<String> rows() {
    List<String> rows = new ArrayList<>();
    rows.add("| metric | kind | labels | meaning |");
    rows.add("| --- | --- | --- | --- |");
    for (Metric metric : Metric.all()) {
      Metric.Spec spec = metric.spec();
      String labels =
          spec.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
      rows.add(
          "| `%s` | %s | %s | %s |"
              .formatted(
                  spec.exposedName(),
                  spec.kind().title(),
                  labels.isEmpty() ? "–" : labels,
                  spec.meaning()));
    }
    return rows;
  }
}
