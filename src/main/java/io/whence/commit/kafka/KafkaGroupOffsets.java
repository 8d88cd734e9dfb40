package io.whence.commit.kafka;

import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.CommittedOffset;
import io.whence.commit.DeletedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.commit.GroupsRead;
import io.whence.commit.OffsetChange;
import io.whence.model.Cancellation;
import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.kafka.RenewedAdmin;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.common.KafkaException;

/**
 * The offsets of the groups of a Kafka cluster, which keeps them: every read asks the coordinator
 * of the group, so that nothing here is ever out of date. Commits and deletions of one group are
 * done one after the other, in the order of the calls, on the executor; nothing waits for longer
 * than the time-out, and what nobody waits for any more when its turn comes is not begun.
 *
 * <p>A guarded commit is a compare-and-set in a transaction of Kafka, which fences other servers
 * that do the same and sees what anybody else commits meanwhile. Two races remain: a transaction of
 * somebody else that is open all the time and ends afterwards writes over it; and where the cluster
 * allows this server no transactions, so does any commit between the reading and the writing; then
 * {@link #warnings} says so.
 *
 * <p>What the cluster doesn't tell is not made up: neither when an offset was committed, for which
 * topic id, or by whom, nor when it expires. Answers to requests with an id are remembered in
 * memory, and lost with the process.
 *
 * <p>Thread safety: thread-safe. Reading waits for the cluster: not for an event loop.
 */
public final class KafkaGroupOffsets implements GroupOffsets, AutoCloseable {
  private final KafkaGroupOptions options;
  private final RenewedAdmin readAdmin;
  private final RenewedAdmin commitAdmin;
  private final GroupLanes lanes;
  private final AnsweredRequests answered;
  private final ClusterFailures failures;
  private final OffsetReads reads;
  private final GroupDirectory directory;
  private final GroupProducers producers;
  private final TransactionRight right;
  private final CommitWork commits;
  private final GroupDeletion deletion;
  private final OffsetsHistory history;

  private KafkaGroupOffsets(
      KafkaGroupOptions options, RenewedAdmin readAdmin, RenewedAdmin commitAdmin) {
    this.options = options;
    this.readAdmin = readAdmin;
    this.commitAdmin = commitAdmin;
    lanes = new GroupLanes(options.executor());
    answered = new AnsweredRequests(options.requests(), options.clock());
    failures = new ClusterFailures(options.source());
    reads = new OffsetReads(readAdmin);
    directory =
        new GroupDirectory(
            readAdmin, failures, new OffsetsLeaders(readAdmin, failures, options.source()));
    producers = new GroupProducers(options);
    right = new TransactionRight(options.source(), options.transactionPrefix());
    GuardedCommits guarded =
        new GuardedCommits(
            options.source(),
            new OffsetReads(commitAdmin),
            producers,
            new GroupMembers(readAdmin),
            failures,
            options.clock());
    commits = new CommitWork(commitAdmin, new TopicChecks(commitAdmin, failures), guarded, right);
    deletion = new GroupDeletion(commitAdmin, guarded);
    history = new OffsetsHistory(readAdmin, options, failures);
  }

  /**
   * Makes the clients; doesn't wait for the cluster, which may be away.
   *
   * @throws IllegalArgumentException if Kafka's client doesn't take the settings
   */
  public static KafkaGroupOffsets open(KafkaGroupOptions options) {
    RenewedAdmin reading = admin(options, "groups");
    try {
      return new KafkaGroupOffsets(options, reading, admin(options, "commits"));
    } catch (RuntimeException e) {
      reading.close();
      throw e;
    }
  }

  private static RenewedAdmin admin(KafkaGroupOptions options, String role) {
    try {
      return RenewedAdmin.create(ClientSettings.admin(options, role), options.requestTimeout());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "source '" + options.source() + "': " + e.getMessage(), e.getCause());
    }
  }

  @Override
  public List<String> warnings() {
    return right.warning().map(List::of).orElse(List.of());
  }

  /**
   * Returns a group as it is now. What a transaction has yet to decide is as it was before it,
   * after a short wait for its end. Waits for the cluster.
   *
   * @throws WhenceException {@code LEADER_UNAVAILABLE} or {@code NOT_AUTHORIZED}
   */
  @Override
  public Optional<Group> group(String group) {
    try (ClusterWait unused = ClusterWait.begin()) {
      return Optional.of(reads.all(group, deadline())).filter(found -> !found.isEmpty());
    } catch (KafkaException e) {
      throw failures.ofGroup(e, group);
    }
  }

  /**
   * Returns all groups that the cluster shows to this server, also those that have committed
   * nothing. Waits for the cluster.
   *
   * @throws WhenceException {@code LEADER_UNAVAILABLE} if some of the groups can't be told
   */
  @Override
  public Collection<Group> groups() {
    try (ClusterWait unused = ClusterWait.begin()) {
      return directory.groups(deadline());
    } catch (KafkaException e) {
      throw failures.ofCluster(e);
    }
  }

  /**
   * Reads some groups: one request to each coordinator for hundreds of them. A coordinator that
   * doesn't answer fails its own groups only. Waits for the cluster.
   *
   * @throws WhenceException {@code LEADER_UNAVAILABLE} if the cluster can't be asked for its groups
   */
  @Override
  public GroupsRead groups(Predicate<String> wanted) {
    try (ClusterWait unused = ClusterWait.begin()) {
      return directory.groups(wanted, deadline());
    } catch (KafkaException e) {
      throw failures.ofCluster(e);
    }
  }

  /** Returns nothing: the cluster doesn't tell. */
  @Override
  public OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    return OptionalLong.empty();
  }

  /** Returns changes as {@link #histories} does; for several partitions, that is one read. */
  @Override
  public List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation) {
    return histories(group, limit, cancellation).apply(partition);
  }

  /**
   * Reads the partition of the cluster's offsets topic that keeps the group, once and whole. Who
   * committed is not in it, and changes that the log cleaner has removed are not either. Waits for
   * the cluster.
   *
   * @throws WhenceException {@code NOT_AUTHORIZED} if this server may not read that topic, {@code
   *     LEADER_UNAVAILABLE}, or {@code OVERLOADED} while others are read
   */
  @Override
  public Function<TopicPartition, List<OffsetChange>> histories(
      String group, int limit, Cancellation cancellation) {
    return history.read(group, limit, cancellation)::of;
  }

  /**
   * Commits when the turn of the group comes; returns at once. The whole request fails with {@code
   * GROUP_ACTIVE} if the group has members, with {@code NOT_AUTHORIZED} if the group may not be
   * committed for, and with {@code LEADER_UNAVAILABLE} if the cluster doesn't answer in time: the
   * commits may be made all the same where {@link WhenceException#isOutcomeUnknown} says so.
   */
  @Override
  public CommitReply commit(CommitRequest request, Cancellation cancellation) {
    boolean remembered = !request.requestId().isEmpty() && !request.dryRun();
    return remembered
        ? answered.answer(request, cancellation, this::committed)
        : CommitReply.later(committed(request, cancellation), false);
  }

  private CompletableFuture<List<CommitResult>> committed(
      CommitRequest request, Cancellation cancellation) {
    return inTurn(request.group(), cancellation, deadline -> commits.commit(request, deadline));
  }

  /**
   * Removes offsets when the turn of the group comes. Fails with {@code GROUP_ACTIVE} if members of
   * the group read one of the topics; those of other topics are removed all the same.
   */
  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions, Cancellation cancellation) {
    return inTurn(group, cancellation, deadline -> deletion.offsets(group, partitions, deadline));
  }

  /**
   * Removes a group when its turn comes. Fails with {@code GROUP_ACTIVE} if it has members, and
   * with {@code UNKNOWN_GROUP} if there is none.
   */
  @Override
  public CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation) {
    return inTurn(group, cancellation, deadline -> deletion.group(group, deadline));
  }

  /**
   * Runs work with a time-out of its own, but not after what asked for it has lost patience. What
   * is begun is ended, whoever waits: half a change would help nobody.
   */
  private <T> CompletableFuture<T> inTurn(
      String group, Cancellation cancellation, Function<Deadline, T> work) {
    Deadline turn = deadline();
    return lanes.run(
        group,
        () -> {
          cancellation.check();
          if (turn.isOver()) {
            throw WhenceException.of(
                ErrorReason.OVERLOADED,
                "group '"
                    + group
                    + "': its turn did not come in time, as others commit for it; try again",
                "group",
                group);
          }
          return work.apply(deadline());
        });
  }

  private Deadline deadline() {
    return Deadline.in(options.requestTimeout());
  }

  /** Refuses what waits, and closes the clients; takes a few seconds at the most. */
  @Override
  public void close() {
    lanes.close();
    producers.close();
    commitAdmin.close();
    readAdmin.close();
  }
}
