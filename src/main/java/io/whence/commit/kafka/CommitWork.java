package io.whence.commit.kafka;

import io.whence.commit.CommitEntry;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.EntryFacts;
import io.whence.commit.Expected;
import io.whence.commit.Group;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.RenewedAdmin;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsResult;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;

/**
 * Does one commit request: guarded ones as a compare-and-set where the cluster allows transactions,
 * all others with one request to the coordinator. Waits for the cluster. Thread safety:
 * thread-safe, but one group at a time.
 */
final class CommitWork {
  private final RenewedAdmin admin;
  private final TopicChecks checks;
  private final GuardedCommits guarded;
  private final TransactionRight right;

  /**
   * Makes the work.
   *
   * @param admin commits
   */
  CommitWork(
      RenewedAdmin admin, TopicChecks checks, GuardedCommits guarded, TransactionRight right) {
    this.admin = admin;
    this.checks = checks;
    this.guarded = guarded;
    this.right = right;
  }

  /**
   * Does a request.
   *
   * @return what became of each entry, in order
   * @throws WhenceException if the group as a whole is refused
   */
  List<CommitResult> commit(CommitRequest request, Deadline deadline) {
    try {
      List<EntryFacts> facts = checks.facts(request.entries(), deadline);
      if (request.dryRun()) {
        return dryRun(request, facts, deadline);
      }
      return isGuarded(request) && right.isThere()
          ? guarded(request, facts, deadline)
          : plain(request, facts, deadline);
    } catch (KafkaException e) {
      throw guarded.failures().ofGroup(e, request.group());
    }
  }

  /** Returns whether the outcome depends on what is committed, or on other entries. */
  private static boolean isGuarded(CommitRequest request) {
    return request.atomic() || request.entries().stream().anyMatch(CommitWork::isGuarded);
  }

  private static boolean isGuarded(CommitEntry entry) {
    return !entry.allowRewind() || !(entry.expected() instanceof Expected.Anything);
  }

  private List<CommitResult> dryRun(
      CommitRequest request, List<EntryFacts> facts, Deadline deadline) {
    guarded.members().requireNone(request.group(), deadline);
    return judged(request, facts, deadline).results();
  }

  private List<CommitResult> guarded(
      CommitRequest request, List<EntryFacts> facts, Deadline deadline) {
    try {
      List<CommitResult> results = new GuardedCommit(guarded, request, facts, deadline).run();
      right.grant();
      return results;
    } catch (TransactionalIdAuthorizationException e) {
      right.deny();
      return plain(request, facts, deadline);
    }
  }

  /** What somebody commits between the reading and the writing is written over. */
  private List<CommitResult> plain(
      CommitRequest request, List<EntryFacts> facts, Deadline deadline) {
    Judgement judgement = judged(request, facts, deadline);
    if (judgement.isEmpty()) {
      return judgement.results();
    }
    AlterConsumerGroupOffsetsResult answer =
        admin
            .client()
            .alterConsumerGroupOffsets(
                request.group(),
                judgement.offsets(),
                new AlterConsumerGroupOffsetsOptions().timeoutMs(deadline.remainingMs()));
    Map<TopicPartition, WhenceException> refused = new HashMap<>();
    for (TopicPartition partition : judgement.partitions()) {
      try {
        AdminCalls.await(answer.partitionResult(KafkaTypes.kafka(partition)), deadline);
      } catch (RuntimeException e) {
        refused.put(partition, refusal(e, request.group(), partition, deadline));
      }
    }
    return judgement.without(facts, refused);
  }

  private Judgement judged(CommitRequest request, List<EntryFacts> facts, Deadline deadline) {
    Group before = guarded.reads().settled(request.group(), Judgement.readable(facts), deadline);
    return Judgement.of(request, facts, before, guarded.clock().millis());
  }

  /** Returns why a partition was refused; throws what refuses the whole group. */
  private WhenceException refusal(
      RuntimeException failure, String group, TopicPartition partition, Deadline deadline) {
    ErrorReason reason = ClusterFailures.reasonOf(failure);
    if (reason == ErrorReason.GROUP_ACTIVE) {
      throw guarded.members().active(group, deadline);
    }
    if (reason == ErrorReason.LEADER_UNAVAILABLE) {
      throw guarded.failures().untold(failure, group);
    }
    if (failure instanceof GroupAuthorizationException) {
      throw guarded.failures().ofGroup(failure, group);
    }
    return guarded.failures().ofPartition(failure, partition);
  }
}
