package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.commit.Expected;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOffsetRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CommitBatchesTest {
  private static final CallLimits LIMITS = new CallLimits(3, 1, 1, 1, 1, Duration.ofSeconds(1));
  private static final CommitEntry GOOD = entry("t", 0, 5);

  static Stream<Arguments> badRequests() {
    return Stream.of(
        bad("entries: give at least one", r -> r.clearEntries()),
        bad(
            "entries: 4 entries; a call may have 3",
            r -> r.addEntries(entry("t", 1, 0)).addEntries(entry("t", 2, 0)).addEntries(GOOD)),
        bad("entries[0].group: name the group, here or in group", r -> r.clearGroup()),
        bad("group: has 1025 characters; at most 1024", r -> r.setGroup("g".repeat(1025))),
        bad("request_id: has 129 characters; at most 128", r -> r.setRequestId("i".repeat(129))),
        bad("writer: has 256 characters; at most 255", r -> r.setWriter("w".repeat(256))),
        bad(
            "atomic: the entries are of 2 groups; make one call for each",
            r -> r.setAtomic(true).addEntries(entry("t", 1, 0).toBuilder().setGroup("other"))),
        badEntry("[1].topic: give the name", e -> e.clearTopic()),
        badEntry("[1].partition: -1 is negative; partitions count", e -> e.setPartition(-1)),
        badEntry("[1].next_offset: give the offset of the next", e -> e.clearNextOffset()),
        badEntry("[1].next_offset: -1 is negative; give the offset", e -> e.setNextOffset(-1)),
        badEntry("[1].leader_epoch: -1 is negative; leave it unset", e -> e.setLeaderEpoch(-1)),
        badEntry("[1].writer_epoch: -7 is negative; leave it unset", e -> e.setWriterEpoch(-7)),
        badEntry(
            "[1].expected_offset: -1 is negative; set expect_no_offset",
            e -> e.setExpectedOffset(-1)),
        badEntry(
            "[1].expect_no_offset: expected_offset is set too; set only one",
            e -> e.setExpectedOffset(0).setExpectNoOffset(true)),
        badEntry("[1].topic_id: no topic id, which has 22", e -> e.setTopicId("x!")),
        badEntry("[1].topic_id: no topic id, which has 22", e -> e.setTopicId("AAAA")),
        badEntry("[1].group: has 1025 characters", e -> e.setGroup("g".repeat(1025))),
        badEntry(
            "[1]: partition 0 of topic 't' is in entries[0] too; give one", e -> e.setPartition(0)),
        badEntry(
            "[1]: partition 0 of topic 't' is in entries[0] too; give one",
            e -> e.setPartition(0).setGroup("g")));
  }

  private static Arguments bad(String message, UnaryOperator<CommitOffsetRequest.Builder> change) {
    CommitOffsetRequest.Builder good =
        CommitOffsetRequest.newBuilder().setGroup("g").addEntries(GOOD);
    return Arguments.of(message, change.apply(good).build());
  }

  private static Arguments badEntry(String message, UnaryOperator<CommitEntry.Builder> change) {
    return bad("entries" + message, r -> r.addEntries(change.apply(entry("t", 1, 5).toBuilder())));
  }

  @ParameterizedTest
  @MethodSource("badRequests")
  void badRequest_refusedByFieldWithWayOut(String message, CommitOffsetRequest request) {
    WhenceException failure =
        catchThrowableOfType(WhenceException.class, () -> CommitBatches.of(request, LIMITS));
    assertThat(failure).hasMessageStartingWith(message);
    assertThat(message).startsWith(failure.metadata().get("field") + ":");
    assertThat(GrpcErrors.code(failure.reason())).isEqualTo(io.grpc.Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void groups_keepTheirEntriesInOrder() {
    CommitBatches batches =
        CommitBatches.of(
            CommitOffsetRequest.newBuilder()
                .setGroup("a")
                .addEntries(entry("t", 0, 1))
                .addEntries(entry("t", 0, 2).toBuilder().setGroup("b"))
                .addEntries(entry("u", 0, 3))
                .build(),
            LIMITS);
    assertThat(batches.all()).extracting(CommitBatches.Batch::group).containsExactly("a", "b");
    assertThat(batches.all().get(0).entries())
        .extracting(io.whence.commit.CommitEntry::nextOffset)
        .containsExactly(1L, 3L);
    assertThat(List.of(batches.batchOf(0), batches.batchOf(1), batches.batchOf(2)))
        .containsExactly(0, 1, 0);
  }

  @Test
  void allFields_reachTheEntry() {
    TopicId id = new TopicId(new UUID(1, 2));
    CommitEntry asked =
        entry("t", 7, 0).toBuilder()
            .setLeaderEpoch(0)
            .setMetadata("m")
            .setExpectedOffset(0)
            .setWriterEpoch(0)
            .setTopicId(id.toString())
            .setAllowRewind(true)
            .setAllowOutOfRange(true)
            .build();
    assertThat(only(asked))
        .isEqualTo(
            new io.whence.commit.CommitEntry(
                new TopicPartition("t", 7), 0, 0, "m", new Expected.Offset(0), 0, id, true, true));
  }

  @Test
  void unsetFields_meanNothing() {
    assertThat(only(GOOD))
        .isEqualTo(
            new io.whence.commit.CommitEntry(
                new TopicPartition("t", 0), 5, -1, "", Expected.ANYTHING, -1, null, false, false));
    assertThat(only(GOOD.toBuilder().setExpectNoOffset(true).build()).expected())
        .isEqualTo(Expected.NOTHING);
  }

  @Test
  void topicIds_areEachOfTheirEntry() {
    String one = new TopicId(new UUID(0, 1)).toString();
    String two = new TopicId(new UUID(0, 2)).toString();
    List<io.whence.commit.CommitEntry> entries =
        CommitBatches.of(
                CommitOffsetRequest.newBuilder()
                    .setGroup("g")
                    .addEntries(entry("t", 0, 0).toBuilder().setTopicId(one))
                    .addEntries(entry("t", 1, 0))
                    .addEntries(entry("t", 2, 0).toBuilder().setTopicId(two))
                    .build(),
                LIMITS)
            .all()
            .get(0)
            .entries();
    assertThat(entries)
        .extracting(entry -> String.valueOf(entry.topicId()))
        .containsExactly(one, "null", two);
  }

  private static io.whence.commit.CommitEntry only(CommitEntry entry) {
    return CommitBatches.of(
            CommitOffsetRequest.newBuilder().setGroup("g").addEntries(entry).build(), LIMITS)
        .all()
        .get(0)
        .entries()
        .get(0);
  }

  private static CommitEntry entry(String topic, int partition, long offset) {
    return CommitEntry.newBuilder()
        .setTopic(topic)
        .setPartition(partition)
        .setNextOffset(offset)
        .build();
  }
}
