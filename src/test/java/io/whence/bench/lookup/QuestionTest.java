package io.whence.bench.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.bench.data.LogPlan;
import io.whence.bench.data.Shape;
import io.whence.record.CompressionCodec;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuestionTest {
  private static final LogPlan PLAN =
      new LogPlan(
          "orders",
          5,
          10_000,
          Shape.DISORDERED,
          new LogPlan.Batches(CompressionCodec.NONE, 100, 50, 10));

  private static long[] right(Question question) {
    return IntStream.range(0, question.partitions())
        .mapToLong(
            i ->
                PLAN.expectedOffset(question.firstPartition() + i, question.timestampMs())
                    .orElseThrow())
        .toArray();
  }

  @Test
  void questions_haveAnAnswerInEachPartition() {
    List<Question> questions = Question.of(PLAN, 3, 100);
    assertThat(questions).hasSize(100);
    for (Question question : questions) {
      assertThatCode(() -> question.check(right(question), "it")).doesNotThrowAnyException();
    }
  }

  @Test
  void requests_askForTheSamePartitionsAndTime() {
    Question question = Question.of(PLAN, 3, 1).get(0);
    assertThat(question.request().getQueries(0).getPartitionsList())
        .containsExactly(
            question.firstPartition(),
            question.firstPartition() + 1,
            question.firstPartition() + 2);
    assertThat(question.request().getQueries(0).getPosition().getAtOrAfter().getEpochMs())
        .isEqualTo(question.timestampMs());
    assertThat(question.kafkaRequest())
        .containsOnlyKeys(question.partition(0), question.partition(1), question.partition(2));
  }

  @Test
  void answer_thatIsOffByOne_isWrong() {
    Question question = Question.of(PLAN, 3, 1).get(0);
    long[] offsets = right(question);
    offsets[2]++;
    assertThatThrownBy(() -> question.check(offsets, "it"))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("instead of");
  }

  @Test
  void answer_thatIsMissing_isWrong() {
    Question question = Question.of(PLAN, 3, 1).get(0);
    assertThatThrownBy(() -> question.check(new long[2], "it"))
        .isInstanceOf(WrongAnswerException.class);
  }
}
