package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProtoWarmUpTest {
  @Test
  void run_loadsTheMessagesOfAllServices() {
    assertThat(ProtoWarmUp.run()).isGreaterThan(60);
  }
}
