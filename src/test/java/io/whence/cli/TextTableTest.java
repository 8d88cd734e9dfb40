package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.cli.TextTable.Cell;
import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void columns_alignedWithoutTrailingSpaces() {
    TextTable table = new TextTable(TextTable.right("n"), TextTable.left("word"));
    table.add(7, "seven");
    table.add(1234567890123L, "");
    table.sum("2", "all");

    assertThat(table.lines(false))
        .containsExactly(
            "              n  word",
            "  ────────────────────",
            "              7  seven",
            "  1234567890123",
            "  ────────────────────",
            "              2  all");
  }

  @Test
  void wideAndCombiningCharacters_countedAsShown() {
    TextTable table = new TextTable(TextTable.left("key"), TextTable.left("x"));
    table.add("订单", "a");
    table.add("e\u0301a", "b");
    table.add("abcd", "c");

    assertThat(table.lines(false)).contains("  订单  a", "  e\u0301a    b", "  abcd  c");
  }

  @Test
  void emptyColumn_leftOut() {
    TextTable table =
        new TextTable(TextTable.left("a"), TextTable.left("notes"), TextTable.left("b"));
    table.add(1, "", 2);

    assertThat(table.lines(false).get(0)).isEqualTo("  a  b");
  }

  @Test
  void controlCharacters_cannotMoveTheCursor() {
    TextTable table = new TextTable(TextTable.left("value"));
    table.add("a\u001b[2Jb\nc\u202ed");

    assertThat(table.lines(false).get(2)).isEqualTo("  a\\u001b[2Jb\\nc\\u202ed");
  }

  @Test
  void colour_doesNotChangeAlignment() {
    TextTable table = new TextTable(TextTable.left("outcome"), TextTable.left("x"));
    table.add(new Cell("found", Ink.GREEN), "y");

    String coloured = table.lines(true).get(2);
    assertThat(coloured).contains("\u001b[32mfound\u001b[0m");
    assertThat(coloured.replaceAll("\u001b\\[\\d+m", "")).isEqualTo(table.lines(false).get(2));
  }

  @Test
  void wrongNumberOfCells_refused() {
    TextTable table = new TextTable(TextTable.left("a"));

    assertThatThrownBy(() -> table.add(1, 2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void longText_cutToColumns() {
    assertThat(DisplayText.cut("abcdef", 4)).isEqualTo("abc…");
    assertThat(DisplayText.cut("订单订单", 5)).isEqualTo("订单…");
    assertThat(DisplayText.cut("abcd", 4)).isEqualTo("abcd");
  }
}
