package io.whence.commit.kafka;

import io.whence.commit.CommitEntry;
import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.CommitRules;
import io.whence.commit.CommittedOffset;
import io.whence.commit.EntryFacts;
import io.whence.commit.Group;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * What a request comes to, given what is committed: a result for each entry, and what is to be
 * written. Thread safety: immutable.
 *
 * @param before the group that it was judged by
 * @param results one for each entry, in order
 * @param writes what is to be committed, by partition
 */
record Judgement(
    Group before, List<CommitResult> results, Map<TopicPartition, CommitEntry> writes) {

  static Judgement of(CommitRequest request, List<EntryFacts> facts, Group before, long nowMs) {
    List<CommitResult> results = new ArrayList<>(facts.size());
    Map<TopicPartition, CommitEntry> writes = new LinkedHashMap<>();
    List<CommitResult> judged = CommitRules.judge(request, facts, before, nowMs);
    for (int i = 0; i < judged.size(); i++) {
      CommitResult result = judged.get(i);
      CommitEntry entry = request.entries().get(i);
      if (result.outcome() == CommitOutcome.COMMITTED) {
        writes.put(facts.get(i).partition(), entry);
        Optional<CommittedOffset> stored = before.offset(facts.get(i).partition());
        boolean same = stored.isPresent() && isSame(entry, stored.get());
        result = same ? unchanged(result) : result;
      }
      results.add(result);
    }
    return new Judgement(before, List.copyOf(results), writes);
  }

  private static CommitResult unchanged(CommitResult result) {
    return new CommitResult(CommitOutcome.UNCHANGED, result.before(), result.now(), null);
  }

  private static boolean isSame(CommitEntry entry, CommittedOffset stored) {
    return entry.nextOffset() == stored.nextOffset()
        && Math.max(entry.leaderEpoch(), -1) == Math.max(stored.epoch(), -1)
        && entry.metadata().equals(stored.metadata());
  }

  /** Returns the partitions of which the cluster can say what is committed. */
  static List<TopicPartition> readable(List<EntryFacts> facts) {
    return facts.stream().filter(Judgement::isReadable).map(EntryFacts::partition).toList();
  }

  private static boolean isReadable(EntryFacts facts) {
    WhenceException refusal = facts.refusal();
    return refusal == null
        || switch (refusal.reason()) {
          case UNKNOWN_TOPIC, UNKNOWN_PARTITION, NOT_AUTHORIZED, LEADER_UNAVAILABLE -> false;
          default -> true;
        };
  }

  /** Returns whether nothing is to be written. */
  boolean isEmpty() {
    return writes.isEmpty();
  }

  /** Returns whether another reading shows the same for everything that is to be written. */
  boolean holdsFor(Group again) {
    return writes.keySet().stream()
        .allMatch(partition -> again.offset(partition).equals(before.offset(partition)));
  }

  /** Returns whether a reading shows everything that was to be written. */
  boolean isMadeIn(Group now) {
    return writes.entrySet().stream()
        .allMatch(
            write ->
                now.offset(write.getKey())
                    .filter(stored -> isSame(write.getValue(), stored))
                    .isPresent());
  }

  /** Returns the partitions to write. */
  Set<TopicPartition> partitions() {
    return writes.keySet();
  }

  /** Returns what is to be written, for Kafka's client. */
  Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> offsets() {
    Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    writes.forEach(
        (partition, entry) -> offsets.put(KafkaTypes.kafka(partition), KafkaTypes.kafka(entry)));
    return offsets;
  }

  /** Returns the results, where the cluster refused some of the writes. */
  List<CommitResult> without(List<EntryFacts> facts, Map<TopicPartition, WhenceException> refused) {
    List<CommitResult> told = new ArrayList<>(results);
    for (int i = 0; i < told.size(); i++) {
      TopicPartition partition = facts.get(i).partition();
      if (writes.containsKey(partition) && refused.containsKey(partition)) {
        long stored = told.get(i).before();
        WhenceException refusal = Objects.requireNonNull(refused.get(partition));
        told.set(i, new CommitResult(CommitOutcome.FAILED, stored, stored, refusal));
      }
    }
    return List.copyOf(told);
  }
}
