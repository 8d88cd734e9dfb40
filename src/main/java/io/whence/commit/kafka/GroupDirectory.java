package io.whence.commit.kafka;

import io.whence.commit.Group;
import io.whence.commit.GroupKind;
import io.whence.commit.GroupState;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListGroupsResult;
import org.apache.kafka.common.GroupType;

/**
 * Reads all groups of a cluster. Invariant: none is left out because it could not be read; then all
 * of it fails. Those that the cluster does not show to this server are not there. Waits for
 * answers. Thread safety: thread-safe.
 */
final class GroupDirectory {
  /** One request to each coordinator; many groups at once cost little more than one. */
  private static final int GROUPS_AT_ONCE = 500;

  private static final String CONSUMERS = "consumer";

  private final Admin admin;
  private final ClusterFailures failures;

  GroupDirectory(Admin admin, ClusterFailures failures) {
    this.admin = admin;
    this.failures = failures;
  }

  /** Returns all groups; those without offsets, too. */
  Collection<Group> groups(Deadline deadline) {
    List<GroupListing> listed = listed(deadline);
    List<Group> groups = new ArrayList<>(listed.size());
    for (int from = 0; from < listed.size(); from += GROUPS_AT_ONCE) {
      int to = Math.min(listed.size(), from + GROUPS_AT_ONCE);
      groups.addAll(read(listed.subList(from, to), deadline));
    }
    return groups;
  }

  private List<GroupListing> listed(Deadline deadline) {
    ListGroupsResult result =
        admin.listGroups(new ListGroupsOptions().timeoutMs(deadline.remainingMs()));
    Collection<Throwable> errors = AdminCalls.await(result.errors(), deadline);
    if (!errors.isEmpty()) {
      throw failures.ofCluster(errors.iterator().next());
    }
    return AdminCalls.await(result.valid(), deadline).stream()
        .filter(GroupDirectory::keepsOffsets)
        .toList();
  }

  /** Share groups have no offsets of this kind; connectors keep theirs elsewhere. */
  private static boolean keepsOffsets(GroupListing group) {
    GroupType type = group.type().orElse(GroupType.CLASSIC);
    return switch (type) {
      case CONSUMER, STREAMS -> true;
      case CLASSIC -> group.isSimpleConsumerGroup() || group.protocol().equals(CONSUMERS);
      default -> false;
    };
  }

  private List<Group> read(List<GroupListing> listed, Deadline deadline) {
    Map<String, ListConsumerGroupOffsetsSpec> specs = new HashMap<>();
    listed.forEach(group -> specs.put(group.groupId(), new ListConsumerGroupOffsetsSpec()));
    ListConsumerGroupOffsetsResult result =
        admin.listConsumerGroupOffsets(specs, OffsetReads.options(false, deadline));
    List<Group> groups = new ArrayList<>(listed.size());
    for (GroupListing group : listed) {
      read(group, result, deadline).ifPresent(groups::add);
    }
    return groups;
  }

  private Optional<Group> read(
      GroupListing listed, ListConsumerGroupOffsetsResult result, Deadline deadline) {
    try {
      return Optional.of(
          OffsetReads.group(
              listed.groupId(),
              state(listed),
              AdminCalls.await(result.partitionsToOffsetAndMetadata(listed.groupId()), deadline)));
    } catch (RuntimeException e) {
      WhenceException failure = failures.ofGroup(e, listed.groupId());
      // Gone since it was listed, or no longer shown to this server.
      if (failure.reason() == ErrorReason.UNKNOWN_GROUP
          || failure.reason() == ErrorReason.NOT_AUTHORIZED) {
        return Optional.empty();
      }
      throw failure;
    }
  }

  private static GroupState state(GroupListing group) {
    boolean empty =
        group
            .groupState()
            .filter(
                state ->
                    state == org.apache.kafka.common.GroupState.EMPTY
                        || state == org.apache.kafka.common.GroupState.DEAD)
            .isPresent();
    return new GroupState(kind(group), empty ? 0 : -1, -1);
  }

  private static GroupKind kind(GroupListing group) {
    if (group.isSimpleConsumerGroup()) {
      return GroupKind.SIMPLE;
    }
    // That of Kafka Streams is the consumer protocol with more in it.
    return group.type().orElse(GroupType.CLASSIC) == GroupType.CLASSIC
        ? GroupKind.CLASSIC
        : GroupKind.CONSUMER;
  }
}
