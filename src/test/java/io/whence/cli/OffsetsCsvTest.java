package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.cli.OffsetsCsv.Row;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OffsetsCsvTest {

  @Test
  void threeColumns_haveNoGroup() {
    OffsetsCsv csv = parse("orders,0,42", "orders,1,9007199254740993");

    assertThat(csv.hasGroups()).isFalse();
    assertThat(csv.rows())
        .containsExactly(
            new Row("", "orders", 0, 42), new Row("", "orders", 1, 9_007_199_254_740_993L));
  }

  @Test
  void fourColumns_haveOne() {
    OffsetsCsv csv = parse("a,orders,0,1", "b,orders,0,2");

    assertThat(csv.hasGroups()).isTrue();
    assertThat(csv.rows()).extracting(Row::group).containsExactly("a", "b");
  }

  @Test
  void blankLinesSpacesAndByteOrderMark_dontCount() {
    OffsetsCsv csv = parse("\uFEFF", "  ", " orders ,\t0 , 42 \r", "", "orders,1,0");

    assertThat(csv.rows())
        .containsExactly(new Row("", "orders", 0, 42), new Row("", "orders", 1, 0));
    assertThat(parse("\uFEFForders,0,1").rows()).containsExactly(new Row("", "orders", 0, 1));
  }

  @Test
  void quotedValues_keepCommasQuotesAndSpaces() {
    OffsetsCsv csv = parse("\"a, \"\"b\"\" \" , \"orders\",\"0\",1");

    assertThat(csv.rows()).containsExactly(new Row("a, \"b\" ", "orders", 0, 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\'',
      value = {
        "orders,x,1; column 2: 'x' is no partition",
        "orders,-1,1; column 2: '-1' is no partition",
        "orders,9999999999,1; column 2: '9999999999' is no partition",
        "orders,0,; column 3: '' is no offset",
        "orders,0,-1; column 3: '-1' is no offset",
        "orders,0,1.0; column 3: '1.0' is no offset",
        "orders,0,9223372036854775808; column 3: '9223372036854775808' is larger than",
        ",0,1; column 1: the topic is empty",
        "g,,0,1; column 2: the topic is empty",
        ",t,0,1; column 1: the group is empty",
        "orders; column 1: the line has 1 column;",
        "orders,0; column 2: the line has 2 columns;",
        "a,b,c,d,e; column 5: the line has 5 columns;",
        "topic,partition,offset; column 2: 'partition' is no partition",
        "\"orders,0,1; column 1: the quote isn't closed",
        "\"orders\"x,0,1; column 1: something follows the closing quote",
      })
  void badLine_refusedWithFileLineAndColumn(String line, String message) {
    assertThatThrownBy(() -> parse("", line))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("f.csv, line 2, " + message.strip());
  }

  @Test
  void otherNumberOfColumnsLater_refused() {
    assertThatThrownBy(() -> parse("orders,0,1", "g,orders,1,1"))
        .hasMessageContaining(
            "f.csv, line 2, column 4: the line has 4 columns, and there are 3 in the lines");
    assertThatThrownBy(() -> parse("g,orders,0,1", "", "orders,1,1"))
        .hasMessageContaining(
            "f.csv, line 3, column 4: the line has 3 columns, and there are 4 in the lines");
  }

  @Test
  void samePartitionTwice_refusedWithBothLines() {
    assertThatThrownBy(() -> parse("g,orders,0,1", "h,orders,0,1", "g,orders,0,2"))
        .hasMessageContaining("f.csv, line 3, column 3: the same partition is in line 1 already");
  }

  @Test
  void nothingInIt_refused() {
    assertThatThrownBy(() -> parse("", " ")).hasMessageContaining("f.csv has no line");
  }

  @Test
  void whatIsWritten_isReadBack() {
    String[] pieces = {
      "a", "\"", ",", " ", "\t", "\uFEFF", "\u00A0", "\u2028", "\u0085", "\u000B", "\u001C", "é",
      "\\"
    };
    long seed = System.nanoTime();
    System.out.println("OffsetsCsvTest seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      StringBuilder group = new StringBuilder();
      for (int length = 1 + random.nextInt(6); length > 0; length--) {
        group.append(pieces[random.nextInt(pieces.length)]);
      }
      OffsetsCsv csv = new OffsetsCsv(true, List.of(new Row(group.toString(), "orders", 7, i)));

      // As it is read from a file.
      List<String> lines = String.join("\n", csv.lines(true)).lines().toList();

      assertThat(OffsetsCsv.parse("f.csv", lines)).isEqualTo(csv);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "a\rb", "\n", "a\r\n"})
  void lineBreak_isNotWritten(String group) {
    OffsetsCsv csv = new OffsetsCsv(true, List.of(new Row(group, "orders", 0, 1)));

    assertThatThrownBy(() -> csv.lines(true))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("has a line break");
    assertThat(csv.lines(false)).containsExactly("orders,0,1");
  }

  private static OffsetsCsv parse(String... lines) {
    return OffsetsCsv.parse("f.csv", List.of(lines));
  }
}
