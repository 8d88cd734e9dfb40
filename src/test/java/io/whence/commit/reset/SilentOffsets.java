package io.whence.commit.reset;

import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommittedOffset;
import io.whence.commit.DeletedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.commit.OffsetChange;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Group offsets of a cluster that does what it is asked to, but doesn't always say so. */
final class SilentOffsets implements GroupOffsets {
  private final GroupOffsets offsets;
  private boolean losesAnswer;
  private boolean failsReads;
  private boolean refuses;

  SilentOffsets(GroupOffsets offsets) {
    this.offsets = offsets;
  }

  /** Loses the answer to the next commit. */
  void loseAnswer() {
    losesAnswer = true;
  }

  /** Makes nothing of the next commit, and says so. */
  void refuse() {
    refuses = true;
  }

  void failReads() {
    failsReads = true;
  }

  private static WhenceException away() {
    return WhenceException.of(ErrorReason.LEADER_UNAVAILABLE, "the coordinator is away");
  }

  private static WhenceException lost() {
    return WhenceException.of(
        ErrorReason.LEADER_UNAVAILABLE,
        "the coordinator did not say",
        WhenceException.OUTCOME,
        WhenceException.UNKNOWN);
  }

  /** As a cluster's, which remembers no request whose answer was lost. */
  @Override
  public CommitReply commit(CommitRequest request, Cancellation cancellation) {
    if (refuses) {
      refuses = false;
      return CommitReply.later(CompletableFuture.failedFuture(away()), false);
    }
    CommitReply made =
        offsets.commit(
            new CommitRequest(
                request.group(),
                request.entries(),
                "",
                request.atomic(),
                request.dryRun(),
                request.writer(),
                request.cause()),
            cancellation);
    if (losesAnswer) {
      losesAnswer = false;
      return CommitReply.later(CompletableFuture.failedFuture(lost()), false);
    }
    return made;
  }

  @Override
  public Optional<Group> group(String group) {
    if (failsReads) {
      throw away();
    }
    return offsets.group(group);
  }

  @Override
  public Collection<Group> groups() {
    return offsets.groups();
  }

  @Override
  public OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    return offsets.expiresAtMs(group, offset);
  }

  @Override
  public List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation) {
    return offsets.history(group, partition, limit, cancellation);
  }

  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions, Cancellation cancellation) {
    return offsets.deleteOffsets(group, partitions, cancellation);
  }

  @Override
  public CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation) {
    return offsets.deleteGroup(group, cancellation);
  }
}
