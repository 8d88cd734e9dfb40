package io.whence.commit.kafka;

import io.whence.commit.CommitRules;
import io.whence.commit.CommittedOffset;
import io.whence.commit.DeletedOffset;
import io.whence.commit.Group;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.RenewedAdmin;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.DeleteConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.DeleteConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.DeleteConsumerGroupsOptions;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/**
 * Removes committed offsets, and groups. Waits for the cluster. Thread safety: thread-safe, but one
 * group at a time.
 */
final class GroupDeletion {
  private final RenewedAdmin admin;
  private final OffsetReads reads;
  private final GroupMembers members;
  private final ClusterFailures failures;

  GroupDeletion(RenewedAdmin admin, GuardedCommits with) {
    this.admin = admin;
    reads = with.reads();
    members = with.members();
    failures = with.failures();
  }

  /**
   * Removes offsets.
   *
   * @throws WhenceException if the cluster keeps at least one of them; says what became of the
   *     others
   */
  List<DeletedOffset> offsets(String group, List<TopicPartition> partitions, Deadline deadline) {
    try {
      Group before = reads.settled(group, partitions, deadline);
      List<DeletedOffset> deleted =
          partitions.stream().map(partition -> deleted(before, partition)).toList();
      List<TopicPartition> present =
          deleted.stream().filter(d -> d.before() >= 0).map(DeletedOffset::partition).toList();
      if (!present.isEmpty()) {
        remove(group, present, deadline);
      }
      return deleted;
    } catch (RuntimeException e) {
      throw failures.ofGroup(e, group);
    }
  }

  private static DeletedOffset deleted(Group before, TopicPartition partition) {
    return new DeletedOffset(
        partition, before.offset(partition).map(CommittedOffset::nextOffset).orElse(-1L));
  }

  private void remove(String group, List<TopicPartition> present, Deadline deadline) {
    DeleteConsumerGroupOffsetsResult answer =
        admin
            .client()
            .deleteConsumerGroupOffsets(
                group,
                present.stream().map(KafkaTypes::kafka).collect(Collectors.toSet()),
                new DeleteConsumerGroupOffsetsOptions().timeoutMs(deadline.remainingMs()));
    RuntimeException first = null;
    int kept = 0;
    for (TopicPartition partition : present) {
      RuntimeException failure = failure(answer, partition, deadline);
      if (failure != null) {
        first = first == null ? failure : first;
        kept++;
      }
    }
    if (first != null) {
      throw refusal(first, group, present.size() - kept, deadline);
    }
  }

  private static @Nullable RuntimeException failure(
      DeleteConsumerGroupOffsetsResult answer, TopicPartition partition, Deadline deadline) {
    try {
      AdminCalls.await(answer.partitionResult(KafkaTypes.kafka(partition)), deadline);
      return null;
    } catch (GroupIdNotFoundException e) {
      return null; // Somebody else removed all of it.
    } catch (RuntimeException e) {
      return e;
    }
  }

  private WhenceException refusal(
      RuntimeException failure, String group, int removed, Deadline deadline) {
    WhenceException refusal = refusal(failure, group, deadline);
    return removed == 0
        ? refusal
        : WhenceException.of(
            refusal.reason(),
            refusal.getMessage() + "; " + removed + " other offsets were removed",
            refusal.metadata().entrySet().stream()
                .flatMap(fact -> Stream.of(fact.getKey(), fact.getValue()))
                .toArray());
  }

  private WhenceException refusal(RuntimeException failure, String group, Deadline deadline) {
    return switch (ClusterFailures.reasonOf(failure)) {
      case GROUP_ACTIVE -> members.active(group, deadline);
      case LEADER_UNAVAILABLE -> failures.untoldRemoval(failure, group);
      default -> failures.ofGroup(failure, group);
    };
  }

  /**
   * Removes a group.
   *
   * @return how many offsets it had
   * @throws WhenceException {@code UNKNOWN_GROUP} if there is none, {@code GROUP_ACTIVE} if it has
   *     members
   */
  int group(String group, Deadline deadline) {
    int count = count(group, deadline);
    try {
      AdminCalls.await(
          admin
              .client()
              .deleteConsumerGroups(
                  List.of(group),
                  new DeleteConsumerGroupsOptions().timeoutMs(deadline.remainingMs()))
              .all(),
          deadline);
      return count;
    } catch (GroupIdNotFoundException e) {
      throw CommitRules.unknownGroup(group);
    } catch (RuntimeException e) {
      throw refusal(e, group, deadline);
    }
  }

  private int count(String group, Deadline deadline) {
    try {
      return reads.all(group, deadline).offsetCount();
    } catch (GroupIdNotFoundException e) {
      throw CommitRules.unknownGroup(group);
    } catch (RuntimeException e) {
      throw failures.ofGroup(e, group);
    }
  }
}
