package io.whence.model;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "A.b_c-9", "...", "__consumer_offsets", "-"})
  void allowedName_passes(String name) {
    assertThatCode(() -> TopicName.requireValid(name)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "a b", "ä", "a\u0000", "a:b", "١"})
  void otherName_refused(String name) {
    assertThatThrownBy(() -> TopicName.requireValid(name))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void length_upTo249() {
    assertThatCode(() -> TopicName.requireValid("a".repeat(249))).doesNotThrowAnyException();
    assertThatThrownBy(() -> TopicName.requireValid("a".repeat(250)))
        .hasMessageContaining("250")
        .hasMessageContaining("249");
  }
}
