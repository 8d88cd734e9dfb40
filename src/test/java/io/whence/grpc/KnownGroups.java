package io.whence.grpc;

import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.Commits;
import io.whence.commit.CommittedOffset;
import io.whence.commit.DeletedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.commit.OffsetChange;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Groups that a test makes up, and that tell when they are read. Thread safety: thread-safe. */
final class KnownGroups implements GroupOffsets {
  private final Map<String, Group> groups = new ConcurrentHashMap<>();
  private volatile Consumer<String> probe = group -> {};

  /** Calls back before each read. */
  void probe(Consumer<String> beforeRead) {
    probe = beforeRead;
  }

  /** Commits besides what the group has committed. */
  synchronized void commit(String group, String topic, int partition, CommittedOffset offset) {
    Map<String, Map<Integer, CommittedOffset>> all = new TreeMap<>();
    Group before = groups.getOrDefault(group, Group.empty(group));
    before.forEach(
        (name, number, old) -> all.computeIfAbsent(name, t -> new TreeMap<>()).put(number, old));
    all.computeIfAbsent(topic, name -> new TreeMap<>()).put(partition, offset);
    groups.put(group, Commits.group(group, all));
  }

  @Override
  public Optional<Group> group(String group) {
    probe.accept(group);
    return Optional.ofNullable(groups.get(group));
  }

  @Override
  public Collection<Group> groups() {
    return List.copyOf(groups.values());
  }

  @Override
  public OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    return OptionalLong.empty();
  }

  @Override
  public List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation) {
    return List.of();
  }

  @Override
  public CommitReply commit(CommitRequest request, Cancellation cancellation) {
    throw new UnsupportedOperationException("lag writes nothing");
  }

  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions, Cancellation cancellation) {
    throw new UnsupportedOperationException("lag writes nothing");
  }

  @Override
  public CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation) {
    throw new UnsupportedOperationException("lag writes nothing");
  }
}
