package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.commit.Commits;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.GroupQuery;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FetchHandlerTest {
  private final Map<String, Long> answers = new HashMap<>();
  private final ScriptedGroups groups =
      new ScriptedGroups(
          Map.of(
              "b",
              Commits.group("b", Map.of("t", Map.of(3, Commits.offset(7), 4, Commits.offset(8))))),
          request -> {
            throw new UnsupportedOperationException("no test commits");
          });

  @Test
  void groupThatCantBeRead_othersAreTold() {
    groups.damage("a");

    List<GroupOffsetsResult> results =
        FetchHandler.fetch(request("a", "b", "c").build(), scope()).getResultsList();

    assertThat(results).extracting(GroupOffsetsResult::getGroup).containsExactly("a", "b", "c");
    assertThat(results)
        .extracting(GroupOffsetsResult::hasError)
        .containsExactly(true, false, false);
    assertThat(results.get(0).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_DAMAGED_LOG);
    assertThat(results.get(1).getExists()).isTrue();
    assertThat(results.get(1).getOffsetsList()).hasSize(2);
    assertThat(results.get(2).getExists()).isFalse();
    assertThat(answers).isEqualTo(Map.of("failed", 1L, "unknown_topic", 2L));
  }

  @Test
  void tooManyPartitions_failTheCall() {
    FetchOffsetRequest request = request("c", "b").setHistory(51).build();

    WhenceException failure =
        catchThrowableOfType(WhenceException.class, () -> FetchHandler.fetch(request, scope()));

    assertThat(failure.reason()).isEqualTo(ErrorReason.LIMIT_EXCEEDED);
    assertThat(failure.metadata()).containsEntry("field", "history");
    assertThat(failure.metadata()).containsEntry("value", "102");
  }

  private CallScope scope() {
    return groups.scope(
        "FetchOffset",
        new CallListener() {
          @Override
          public void onAnswers(String rpc, String position, String outcome, long count) {
            answers.merge(outcome, count, Long::sum);
          }
        });
  }

  private static FetchOffsetRequest.Builder request(String... names) {
    FetchOffsetRequest.Builder request = FetchOffsetRequest.newBuilder();
    for (String name : names) {
      request.addQueries(GroupQuery.newBuilder().setGroup(name));
    }
    return request;
  }
}
