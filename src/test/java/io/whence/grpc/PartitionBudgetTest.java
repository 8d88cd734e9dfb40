package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionBudgetTest {
  private static final FieldPath FIELD = FieldPath.of("history");

  // As an int the first product is negative, and the second one 4.
  @ParameterizedTest
  @CsvSource({"21474837, 100, 2147483700", "1073741825, 4, 4294967300", "101, 1, 101"})
  void moreThanTheLimit_refusedWithHowMany(int count, int ofEach, String value) {
    PartitionBudget budget = new PartitionBudget(100, "changes of offsets");

    WhenceException failure =
        catchThrowableOfType(WhenceException.class, () -> budget.take(count, ofEach, FIELD));

    assertThat(failure.reason()).isEqualTo(ErrorReason.LIMIT_EXCEEDED);
    assertThat(failure.metadata()).containsEntry("value", value).containsEntry("limit", "100");
  }

  @Test
  void upToTheLimit_isCounted() {
    PartitionBudget budget = new PartitionBudget(100, "changes of offsets");

    budget.take(10, 9, FIELD);
    budget.take(10, FIELD);

    assertThat(budget.taken()).isEqualTo(100);
  }
}
