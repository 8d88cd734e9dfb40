package io.whence.commit.kafka;

import io.whence.commit.Group;
import io.whence.commit.GroupKind;
import io.whence.commit.GroupState;
import io.whence.commit.GroupsRead;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.kafka.RenewedAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListGroupsResult;
import org.apache.kafka.common.GroupType;

/**
 * Reads groups of a cluster. Invariant: none is left out because it could not be read without that
 * being said. Those that the cluster does not show to this server are not there. Waits for answers.
 * Thread safety: thread-safe.
 */
final class GroupDirectory {
  /** One request to each coordinator; many groups at once cost little more than one. */
  private static final int GROUPS_AT_ONCE = 500;

  private static final String CONSUMERS = "consumer";

  private final RenewedAdmin admin;
  private final ClusterFailures failures;
  private final OffsetsLeaders leaders;

  GroupDirectory(RenewedAdmin admin, ClusterFailures failures, OffsetsLeaders leaders) {
    this.admin = admin;
    this.failures = failures;
    this.leaders = leaders;
  }

  /** Returns all groups; those without offsets, too. */
  Collection<Group> groups(Deadline deadline) {
    GroupsRead read = groups(name -> true, deadline);
    if (!read.failures().isEmpty()) {
      throw read.failures().get(0);
    }
    return read.groups();
  }

  /** Returns some groups, and what kept others from being read; throws that if there are none. */
  GroupsRead groups(Predicate<String> wanted, Deadline deadline) {
    // A broker that doesn't answer takes all the time there is: some is left for the others.
    Deadline half = deadline.within(Duration.ofMillis(deadline.remainingMs() / 2));
    ListGroupsResult listing =
        admin.client().listGroups(new ListGroupsOptions().timeoutMs(half.remainingMs()));
    List<WhenceException> failed = new ArrayList<>();
    leaders.ask(half).failure().ifPresent(failed::add);
    AdminCalls.await(listing.errors(), half)
        .forEach(error -> failed.add(failures.ofCluster(error)));
    List<GroupListing> listed =
        AdminCalls.await(listing.valid(), half).stream()
            .filter(group -> keepsOffsets(group) && wanted.test(group.groupId()))
            .toList();
    List<Group> groups = new ArrayList<>(listed.size());
    for (Batch batch : asked(listed, deadline)) {
      read(batch, deadline, groups, failed);
    }
    if (groups.isEmpty() && !failed.isEmpty()) {
      throw failed.get(0);
    }
    return new GroupsRead(groups, failed);
  }

  /** Groups that were asked for together, and what is answered. */
  private record Batch(List<GroupListing> listed, ListConsumerGroupOffsetsResult result) {}

  private List<Batch> asked(List<GroupListing> listed, Deadline deadline) {
    List<Batch> batches = new ArrayList<>();
    for (int from = 0; from < listed.size(); from += GROUPS_AT_ONCE) {
      List<GroupListing> some =
          listed.subList(from, Math.min(listed.size(), from + GROUPS_AT_ONCE));
      Map<String, ListConsumerGroupOffsetsSpec> specs = new HashMap<>();
      some.forEach(group -> specs.put(group.groupId(), new ListConsumerGroupOffsetsSpec()));
      batches.add(
          new Batch(
              some,
              admin
                  .client()
                  .listConsumerGroupOffsets(specs, OffsetReads.options(false, deadline))));
    }
    return batches;
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

  private void read(
      Batch batch, Deadline deadline, List<Group> groups, List<WhenceException> failed) {
    for (GroupListing group : batch.listed()) {
      try {
        read(group, batch.result(), deadline).ifPresent(groups::add);
      } catch (WhenceException e) {
        failed.add(e);
      }
    }
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
