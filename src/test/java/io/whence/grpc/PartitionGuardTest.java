package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PartitionGuardTest {
  private final CallScope scope =
      new ScriptedGroups(
              Map.of(),
              request -> {
                throw new UnsupportedOperationException("no test commits");
              })
          .scope("FetchOffset", CallListener.NOOP);

  @ParameterizedTest
  @EnumSource(
      value = ErrorReason.class,
      names = {"DEADLINE_EXCEEDED", "LIMIT_EXCEEDED", "NOT_READY"})
  void failureOfAGroupThatConcernsTheCall_goesOn(ErrorReason reason) {
    WhenceException failure = WhenceException.of(reason, "for all");

    assertThatThrownBy(() -> group(failure)).isSameAs(failure);
  }

  @Test
  void failureOfAGroup_isTold() {
    assertThat(group(WhenceException.of(ErrorReason.DAMAGED_LOG, "damaged")))
        .isEqualTo("ERROR_REASON_DAMAGED_LOG");
    assertThat(group(new IllegalStateException("a fault"))).isEqualTo("ERROR_REASON_INTERNAL");
  }

  private String group(RuntimeException failure) {
    return PartitionGuard.group(
        scope,
        "g",
        () -> {
          throw failure;
        },
        error -> error.getReason().name());
  }
}
