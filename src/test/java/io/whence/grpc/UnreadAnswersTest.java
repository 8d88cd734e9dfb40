package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.v1.ListTopicsResponse;
import io.whence.v1.SourceInfo;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UnreadAnswersTest {
  private final AtomicLong ofAll = new AtomicLong();
  private final UnreadAnswers unread = new UnreadAnswers(ofAll);

  @Test
  void clientThatReadsNothing_getsNoFurtherLargeAnswers_untilItReads() {
    assertThat(unread.refusal()).isEmpty();
    unread.add(UnreadAnswers.MAX_BYTES);
    assertThat(unread.refusal()).isEmpty();

    unread.add(1);

    assertThat(unread.refusal()).get().asString().contains("33554433 bytes");
    unread.add(-1);
    assertThat(unread.refusal()).isEmpty();
  }

  @Test
  void allClientsTogether_leaveTooMuchUnread_nobodyGetsMore() {
    unread.add(UnreadAnswers.MAX_BYTES);
    UnreadAnswers other = new UnreadAnswers(ofAll);
    assertThat(other.refusal()).isEmpty();

    ofAll.addAndGet(Runtime.getRuntime().maxMemory());

    assertThat(other.refusal()).isPresent();
  }

  @Test
  void reply_countsUntilItIsTakenOrCancelled() {
    for (boolean cancelled : new boolean[] {false, true}) {
      RecordingCall<ListTopicsResponse> call = new RecordingCall<>();
      Reply<ListTopicsResponse> reply =
          new Reply<>("ListTopics", call, CallListener.NOOP, unread, () -> {});
      ListTopicsResponse answer =
          ListTopicsResponse.newBuilder().addSources(SourceInfo.newBuilder().setName("x")).build();

      reply.answer(answer);

      assertThat(unread.bytes()).isEqualTo(answer.getSerializedSize()).isPositive();
      if (cancelled) {
        call.cancel();
      } else {
        call.close();
      }
      assertThat(unread.bytes()).isZero();
      assertThat(ofAll).hasValue(0);
    }
  }
}
