package io.whence.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class FailureTextTest {
  @Test
  void failureThatSaysNothing_isNamed() {
    assertThat(FailureText.of(new TimeoutException())).isEqualTo("TimeoutException");
    assertThat(FailureText.of(new IllegalStateException(" "))).isEqualTo("IllegalStateException");
  }

  @Test
  void rootCause_isSaidInBrackets_once() {
    Throwable root = new IllegalArgumentException("no such file: trust.jks");
    Throwable outside =
        new IllegalStateException("no client", new IllegalStateException("no TLS", root));

    assertThat(FailureText.of(outside)).isEqualTo("no client (no such file: trust.jks)");
    assertThat(FailureText.of(root)).isEqualTo("no such file: trust.jks");
    assertThat(FailureText.of(new ExecutionException(root)))
        .isEqualTo("java.lang.IllegalArgumentException: no such file: trust.jks");
    assertThat(FailureText.of(new IllegalStateException("no client", new TimeoutException())))
        .isEqualTo("no client (TimeoutException)");
  }
}
