package io.whence.commit.kafka;

import static io.whence.commit.kafka.Writes.TOPIC;
import static io.whence.commit.kafka.Writes.atomic;
import static io.whence.commit.kafka.Writes.entry;
import static io.whence.commit.kafka.Writes.request;
import static io.whence.commit.kafka.Writes.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.EntryFacts;
import io.whence.commit.Expected;
import io.whence.commit.Group;
import io.whence.commit.GroupState;
import io.whence.model.ErrorReason;
import io.whence.model.LogBounds;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

class JudgementTest {
  private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(TOPIC, 1);
  private static final WhenceException REFUSAL =
      WhenceException.of(ErrorReason.NOT_AUTHORIZED, "no");

  /** Returns a group as an answer of the cluster tells it: null where nothing is committed. */
  private static Group group(Map<TopicPartition, OffsetAndMetadata> offsets) {
    Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> told = new HashMap<>();
    told.put(new org.apache.kafka.common.TopicPartition(TOPIC, 9), null);
    offsets.forEach((partition, offset) -> told.put(KafkaTypes.kafka(partition), offset));
    return OffsetReads.group("g", GroupState.SIMPLE, told);
  }

  private static OffsetAndMetadata at(long offset) {
    return new OffsetAndMetadata(offset);
  }

  private static Judgement judge(CommitRequest request, Group before) {
    return Judgement.of(request, facts(request), before, 0);
  }

  private static List<EntryFacts> facts(CommitRequest request) {
    return request.entries().stream()
        .map(entry -> new EntryFacts(entry.partition(), null, new LogBounds(0, 100), null))
        .toList();
  }

  @Test
  void partitionWithoutOffset_hasNone() {
    assertThat(group(Map.of(P0, at(5))).partitions()).containsExactly(P0);
  }

  @Test
  void sameOffsetEpochAndMetadata_isUnchangedAndWrittenAllTheSame() {
    CommitRequest request =
        request(
            "g",
            entry(P0, 5, 3, "m", Expected.ANYTHING, false),
            entry(P1, 5, -1, "m", Expected.ANYTHING, false));
    OffsetAndMetadata stored = new OffsetAndMetadata(5, Optional.of(3), "m");
    Judgement judgement = judge(request, group(Map.of(P0, stored, P1, stored)));
    assertThat(judgement.results())
        .extracting(CommitResult::outcome)
        .containsExactly(CommitOutcome.UNCHANGED, CommitOutcome.COMMITTED);
    assertThat(judgement.offsets())
        .isEqualTo(
            Map.of(
                KafkaTypes.kafka(P0),
                stored,
                KafkaTypes.kafka(P1),
                new OffsetAndMetadata(5, Optional.empty(), "m")));
  }

  @Test
  void refusedEntryOfAtomicRequest_leavesNothingToWrite() {
    CommitRequest request = atomic(request("g", write(0, 4), write(1, 4)));
    Judgement judgement = judge(request, group(Map.of(P0, at(5))));
    assertThat(judgement.isEmpty()).isTrue();
    assertThat(judgement.results())
        .extracting(CommitResult::outcome)
        .containsExactly(CommitOutcome.FAILED, CommitOutcome.NOT_APPLIED);
  }

  @Test
  void anotherReading_countsOnlyForWhatIsWritten() {
    CommitRequest request = request("g", write(0, 6), write(1, 4));
    Judgement judgement = judge(request, group(Map.of(P0, at(5), P1, at(5))));
    assertThat(judgement.partitions()).containsExactly(P0);
    assertThat(judgement.holdsFor(group(Map.of(P0, at(5), P1, at(9))))).isTrue();
    assertThat(judgement.holdsFor(group(Map.of(P0, at(9), P1, at(5))))).isFalse();
    assertThat(judgement.holdsFor(group(Map.of(P1, at(5))))).isFalse();
    assertThat(judgement.isMadeIn(group(Map.of(P0, at(6), P1, at(5))))).isTrue();
    assertThat(judgement.isMadeIn(group(Map.of(P0, at(5))))).isFalse();
  }

  @Test
  void refusalOfTheCluster_failsThatEntryOnly() {
    CommitRequest request = request("g", write(0, 6), write(1, 7));
    Judgement judgement = judge(request, group(Map.of(P0, at(5))));
    List<CommitResult> results = judgement.without(facts(request), Map.of(P0, REFUSAL));
    assertThat(results.get(0).outcome()).isEqualTo(CommitOutcome.FAILED);
    assertThat(results.get(0).error()).isSameAs(REFUSAL);
    assertThat(results.get(0).now()).isEqualTo(5);
    assertThat(results.get(1).outcome()).isEqualTo(CommitOutcome.COMMITTED);
  }

  @Test
  void partitionsOfUnknownTopics_areNotReadable() {
    assertThat(
            Judgement.readable(
                List.of(
                    EntryFacts.refused(P0, WhenceException.of(ErrorReason.UNKNOWN_TOPIC, "u")),
                    EntryFacts.refused(P1, WhenceException.of(ErrorReason.STALE_TOPIC, "s")))))
        .containsExactly(P1);
  }
}
