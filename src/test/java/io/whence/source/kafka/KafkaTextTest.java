package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class KafkaTextTest {
  @Test
  void aQuestionThatTimedOut_isNamed_withoutItsMoments() {
    TimeoutException failure =
        new TimeoutException(
            "Call(callName=listOffsets(api=LIST_OFFSETS), deadlineMs=1796076186435, tries=1,"
                + " nextAllowedTryMs=1796076186518) timed out at 1796076186436 after 1 attempt(s)",
            new DisconnectException("Cancelled LIST_OFFSETS request with correlation id 7"));
    assertThat(KafkaText.of(new ExecutionException(failure)))
        .isEqualTo("listOffsets(api=LIST_OFFSETS) timed out");
    for (String waited : List.of("for a node assignment", "to send the call")) {
      failure = new TimeoutException("Timed out waiting " + waited + ". Call: listTopics");
      assertThat(KafkaText.of(failure)).isEqualTo("listTopics timed out");
    }
  }

  @Test
  void aQuestionOfARealClient_saysTheSameEachTime() {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:1"))) {
      String first = timedOut(admin);
      assertThat(first).contains("listTopics").doesNotContainPattern("\\d");
      assertThat(timedOut(admin)).isEqualTo(first);
      admin.close(Duration.ZERO);
    }
  }

  private static String timedOut(Admin admin) {
    try {
      return "answered: " + admin.listTopics(new ListTopicsOptions().timeoutMs(1)).names().get();
    } catch (ExecutionException e) {
      return KafkaText.of(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatSaysNothing_isNamed() {
    assertThat(KafkaText.of(new TimeoutException(""))).isEqualTo("TimeoutException");
    assertThat(KafkaText.of(new ExecutionException(new DisconnectException())))
        .isEqualTo("DisconnectException");
  }
}
