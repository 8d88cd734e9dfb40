package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.v1.ChangeCause;
import io.whence.v1.CommittedOffset;
import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.DeleteGroupResponse;
import io.whence.v1.DeleteOffsetRequest;
import io.whence.v1.DeleteOffsetResponse;
import io.whence.v1.DeleteOffsetResult;
import io.whence.v1.ErrorReason;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GroupOffsetsResult;
import io.whence.v1.GroupQuery;
import io.whence.v1.OffsetChange;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;
import io.whence.v1.PartitionError;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class OffsetsCommandTest extends CommandFixture {
  private static final long COMMITTED_MS = 1_709_964_000_000L;

  @Test
  void offsets_shownWithTimesInZoneAndMetadata() {
    server.answer(
        response(
            group(
                "billing",
                offset(0, OffsetStatus.OFFSET_STATUS_CURRENT)
                    .setCommitted(
                        committed(42)
                            .setLeaderEpoch(3)
                            .setWriterEpoch(8)
                            .setMetadata("by\u001b[31m hand")
                            .setExpiresAtMs(COMMITTED_MS + 1)),
                offset(1, OffsetStatus.OFFSET_STATUS_NO_OFFSET))));

    assertThat(run("offsets", "billing", "orders:0-1", "--zone", "Asia/Shanghai")).isZero();
    assertThat(out.toString())
        .contains("group billing\n")
        .containsPattern(
            "orders +0 +42 +current +2024-03-09T14:00:00.000\\+08:00"
                + " +2024-03-09T14:00:00.001\\+08:00 +3 +8 +by\\\\u001b\\[31m hand")
        .containsPattern("orders +1 +– +no offset +– +–");
    FetchOffsetRequest request = server.request(FetchOffsetRequest.class);
    assertThat(request.getQueries(0).getTopics(0).getTopic()).isEqualTo("orders");
    assertThat(request.getQueries(0).getTopics(0).getPartitionsList()).containsExactly(0, 1);
    assertThat(request.getHistory()).isZero();
  }

  @Test
  void history_showsWhoWhenFromToAndRequest() {
    server.answer(
        response(
            group(
                "billing",
                offset(0, OffsetStatus.OFFSET_STATUS_CURRENT)
                    .setCommitted(committed(42))
                    .addHistory(
                        OffsetChange.newBuilder()
                            .setChangedAtMs(COMMITTED_MS)
                            .setWriter("ann@desk")
                            .setOffsetBefore(99)
                            .setOffsetAfter(42)
                            .setCause(ChangeCause.CHANGE_CAUSE_RESET)
                            .setRequestId("plan-1"))
                    .addHistory(OffsetChange.newBuilder().setChangedAtMs(1).setOffsetAfter(99)))));

    assertThat(run("offsets", "billing", "--history", "5")).isZero();
    assertThat(server.request(FetchOffsetRequest.class).getHistory()).isEqualTo(5);
    assertThat(out.toString())
        .containsPattern("orders +0 +2024-03-09T06:00:00.000Z +99 +42 +reset +ann@desk +plan-1")
        .containsPattern("orders +0 +1970-01-01T00:00:00.001Z +– +99\\n");
  }

  @ParameterizedTest
  @EnumSource(
      value = OffsetStatus.class,
      names = {"UNRECOGNIZED", "OFFSET_STATUS_UNSPECIFIED"},
      mode = EnumSource.Mode.EXCLUDE)
  void eachStatus_shownInWords(OffsetStatus status) {
    server.answer(response(group("g", offset(0, status).setCommitted(committed(1)))));

    run("offsets", "g");

    assertThat(out.toString())
        .contains(
            status.name().replace("OFFSET_STATUS_", "").replace('_', ' ').toLowerCase(Locale.ROOT));
  }

  @Test
  void onePartitionFailed_exit1AndSaysWhy() {
    server.answer(
        response(
            group(
                "g",
                offset(2, OffsetStatus.OFFSET_STATUS_FAILED)
                    .setError(
                        PartitionError.newBuilder()
                            .setReason(ErrorReason.ERROR_REASON_DAMAGED_LOG)
                            .setMessage("unreadable")))));

    assertThat(run("offsets", "g")).isEqualTo(1);
    assertThat(out.toString()).contains("orders partition 2: unreadable (DAMAGED_LOG)");
  }

  @Test
  void oneGroupFailed_exit1AndSaysWhy() {
    GroupOffsetsResult.Builder failed =
        GroupOffsetsResult.newBuilder()
            .setGroup("g")
            .setError(
                PartitionError.newBuilder()
                    .setReason(ErrorReason.ERROR_REASON_DAMAGED_LOG)
                    .setMessage("unreadable"));
    server.answer(response(failed, group("h", current(0, 1))));
    server.answer(response(failed, group("h", current(0, 1))));

    assertThat(run("offsets", "g", "--group", "h")).isEqualTo(1);
    assertThat(out.toString())
        .contains("group g: unreadable (DAMAGED_LOG)", "group h\n")
        .doesNotContain("has committed nothing");
    out.getBuffer().setLength(0);
    assertThat(run("offsets", "g", "--group", "h", "--csv")).isEqualTo(1);
    assertThat(out).hasToString("h,orders,0,1\n");
    assertThat(err.toString()).contains("group g: unreadable (DAMAGED_LOG)");
  }

  @Test
  void nothingCommitted_exit4() {
    server.answer(response(GroupOffsetsResult.newBuilder().setGroup("nobody").setExists(false)));

    assertThat(run("offsets", "nobody")).isEqualTo(4);
    assertThat(out.toString()).contains("group nobody: has committed nothing");
  }

  @Test
  void partitions_countForTopicsWithoutAList() {
    server.answer(response(group("g", current(0, 1))));

    run("offsets", "g", "a", "b:7", "--partitions", "0-2");

    GroupQuery query = server.request(FetchOffsetRequest.class).getQueries(0);
    assertThat(query.getTopics(0).getPartitionsList()).containsExactly(0, 1, 2);
    assertThat(query.getTopics(1).getPartitionsList()).containsExactly(7);
  }

  @Test
  void csvOfOneGroup_threeColumnsAndNothingElse() {
    server.answer(
        response(
            group(
                "g",
                current(0, 9_007_199_254_740_993L),
                offset(1, OffsetStatus.OFFSET_STATUS_NO_OFFSET),
                offset(2, OffsetStatus.OFFSET_STATUS_STALE_TOPIC).setCommitted(committed(5)))));

    assertThat(run("offsets", "g", "--csv")).isZero();
    assertThat(out).hasToString("orders,0,9007199254740993\n");
    assertThat(err.toString())
        .contains("left out: g, orders partition 1: no offset")
        .contains("left out: g, orders partition 2: stale topic");
  }

  @Test
  void csvOfGroupWithLineBreak_exit2AndPrintsNothing() {
    server.answer(response(group("g", current(0, 1)), group("a\nb", current(0, 2))));

    assertThat(run("offsets", "g", "--group", "a\nb", "--csv")).isEqualTo(2);
    assertThat(out).hasToString("");
    assertThat(err.toString()).contains("has a line break");
  }

  @Test
  void csvOfSeveralGroups_fourColumnsWithQuotesWhereNeeded() {
    server.answer(response(group("g", current(0, 1)), group("a, \"b\"", current(3, 2))));

    assertThat(run("offsets", "g", "--group", "a, \"b\"", "--csv")).isZero();
    assertThat(out).hasToString("g,orders,0,1\n\"a, \"\"b\"\"\",orders,3,2\n");
    assertThat(server.request(FetchOffsetRequest.class).getQueriesList())
        .extracting(GroupQuery::getGroup)
        .containsExactly("g", "a, \"b\"");
  }

  @Test
  void offsetBeyondDouble_stringInJson() {
    server.answer(response(group("g", current(0, 9_007_199_254_740_993L))));

    run("offsets", "g", "--format", "json");

    assertThat(out.toString()).contains("\"nextOffset\": \"9007199254740993\"");
  }

  @Test
  void deleteOfTopics_removesTheirOffsets() {
    server.answer(
        DeleteOffsetResponse.newBuilder()
            .addResults(
                DeleteOffsetResult.newBuilder()
                    .setTopic("orders")
                    .setPartition(1)
                    .setOffsetBefore(42))
            .addResults(DeleteOffsetResult.newBuilder().setTopic("orders").setPartition(2))
            .build());

    assertThat(run("offsets", "billing", "orders:1,2", "--delete", "--yes")).isZero();
    DeleteOffsetRequest request = server.request(DeleteOffsetRequest.class);
    assertThat(request.getGroup()).isEqualTo("billing");
    assertThat(request.getTopics(0).getPartitionsList()).containsExactly(1, 2);
    assertThat(out.toString())
        .containsPattern("orders +1 +42\\n")
        .containsPattern("orders +2 +–\\n")
        .contains("removed 1 offset of group billing");
  }

  @Test
  void deleteWithoutTopics_removesTheGroup() {
    server.answer(DeleteGroupResponse.newBuilder().setDeletedOffsetCount(3).build());
    server.answer(DeleteGroupResponse.getDefaultInstance());

    assertThat(run("offsets", "billing", "--delete", "--yes")).isZero();
    assertThat(run("offsets", "billing", "--delete", "--yes")).isEqualTo(4);
    assertThat(server.request(DeleteGroupRequest.class).getGroup()).isEqualTo("billing");
    assertThat(out.toString()).contains("removed 3 offsets of group billing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "offsets g --delete|this removes all offsets of group 'g'; nothing was done: add --yes",
        "offsets g t --delete|this removes the offsets in t of group 'g'; nothing was done",
        "offsets g --group h --delete --yes|one group at a time",
        "offsets g --partitions 1|needs a TOPIC",
        "offsets g t:|write a topic",
        "offsets g t:x|neither a partition nor a range",
        "offsets g --csv --history 1|mutually exclusive",
        "offsets|GROUP"
      })
  void wrongCommandLine_exit2AndNothingSent(String line, String message) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(server.requests(Object.class)).isEmpty();
  }

  private static OffsetResult.Builder current(int partition, long next) {
    return offset(partition, OffsetStatus.OFFSET_STATUS_CURRENT).setCommitted(committed(next));
  }

  private static OffsetResult.Builder offset(int partition, OffsetStatus status) {
    return OffsetResult.newBuilder().setTopic("orders").setPartition(partition).setStatus(status);
  }

  private static CommittedOffset.Builder committed(long next) {
    return CommittedOffset.newBuilder().setNextOffset(next).setCommitTimeMs(COMMITTED_MS);
  }

  private static GroupOffsetsResult.Builder group(String name, OffsetResult.Builder... offsets) {
    GroupOffsetsResult.Builder group =
        GroupOffsetsResult.newBuilder().setGroup(name).setExists(true);
    for (OffsetResult.Builder offset : offsets) {
      group.addOffsets(offset);
    }
    return group;
  }

  private static FetchOffsetResponse response(GroupOffsetsResult.Builder... groups) {
    FetchOffsetResponse.Builder response =
        FetchOffsetResponse.newBuilder().setSource("embedded").setServerTimeMs(COMMITTED_MS);
    for (GroupOffsetsResult.Builder group : groups) {
      response.addResults(group);
    }
    return response.build();
  }
}
