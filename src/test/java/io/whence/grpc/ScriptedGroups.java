package io.whence.grpc;

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
import io.whence.source.PartitionLogs;
import io.whence.source.SourceCatalog;
import io.whence.source.TopicInfo;
import io.whence.testkit.GivenSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Offsets of groups that answer what a test says. */
final class ScriptedGroups implements GroupOffsets {
  static final long NOW_MS = 1_717_200_000_000L;

  final List<CommitRequest> requests = new ArrayList<>();

  /** The groups that were read, in order. */
  final List<String> reads = new ArrayList<>();

  private final Map<String, Group> groups;
  private final Function<CommitRequest, CommitReply> commits;
  private final Set<String> unreadable = new HashSet<>();

  ScriptedGroups(Map<String, Group> groups, Function<CommitRequest, CommitReply> commits) {
    this.groups = groups;
    this.commits = commits;
  }

  /** Returns what a call of a server may use whose only source has these groups. */
  CallScope scope(String rpc, CallListener listener) {
    CallLimits limits = new CallLimits(100, 100, 1, 1, 1, Duration.ofSeconds(10));
    return new CallScope(
        rpc,
        NOW_MS,
        Caller.ofCurrentCall(),
        new OpenSources(new SourceCatalog(List.of(new NoLogs())), Map.of("only", this)),
        CallCancellation.ofCurrentCall(limits.defaultDeadline()),
        limits,
        listener);
  }

  /** Fails each read of a group, as on a partition of the offsets topic that is damaged. */
  ScriptedGroups damage(String group) {
    unreadable.add(group);
    return this;
  }

  /** Returns the names of all groups. */
  Set<String> names() {
    return groups.keySet();
  }

  @Override
  public Optional<Group> group(String group) {
    reads.add(group);
    if (unreadable.contains(group)) {
      throw WhenceException.of(ErrorReason.DAMAGED_LOG, "damaged", "path", "/d");
    }
    return Optional.ofNullable(groups.get(group));
  }

  @Override
  public Collection<Group> groups() {
    return groups.values();
  }

  @Override
  public OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    return OptionalLong.of(offset.commitTimeMs() + 1000);
  }

  @Override
  public List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation) {
    return List.of();
  }

  @Override
  public CommitReply commit(CommitRequest request, Cancellation cancellation) {
    requests.add(request);
    return commits.apply(request);
  }

  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions, Cancellation cancellation) {
    throw new UnsupportedOperationException("no test deletes");
  }

  @Override
  public CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation) {
    throw new UnsupportedOperationException("no test deletes");
  }

  private static final class NoLogs extends GivenSource {
    NoLogs() {
      super("only");
    }

    @Override
    public TopicInfo topic(String topic) {
      throw WhenceException.of(ErrorReason.UNKNOWN_TOPIC, "there are no topics", "topic", topic);
    }

    @Override
    public PartitionLogs logs(String topic) {
      throw new IllegalStateException("no test asks for logs");
    }
  }
}
