package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionListTest {
  @Test
  void rangesAndNumbers_keptInOrderWithDuplicates() {
    assertThat(PartitionList.parse("0-3,7, 5 , 2-2,7")).containsExactly(0, 1, 2, 3, 7, 5, 2, 7);
  }

  @Test
  void emptyText_isAllPartitions() {
    assertThat(PartitionList.parse(" ")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",",
        "1,",
        "a",
        "-1",
        "3-1",
        "1-2-3",
        "1..3",
        "0-100000",
        "9999999999",
        "0-99999,1"
      })
  void anythingElse_refusedWithAnExample(String text) {
    assertThatThrownBy(() -> PartitionList.parse(text))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("0-3,7");
  }
}
