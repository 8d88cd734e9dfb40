package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.log.TransactionFate;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of groups that a broker's data directory holds, in its offsets topic. A partition of
 * it is read when it is first needed, and kept; one that is damaged fails the questions that it
 * could answer, and no others. Thread safety: thread-safe.
 */
public final class ArchivedGroupOffsets implements GroupOffsets {
  private final LogSource source;
  private final Map<Integer, Contents> read = new ConcurrentHashMap<>();

  /**
   * What a partition holds.
   *
   * @param groups by name; empty if it can't be told
   * @param damage why it can't be told; null if it can
   */
  private record Contents(Map<String, Group> groups, @Nullable WhenceException damage) {
    private static final Contents NOTHING = new Contents(Map.of(), null);
  }

  /** Makes the offsets of an archive; reads nothing yet. */
  public ArchivedGroupOffsets(LogSource source) {
    this.source = source;
  }

  private Contents contents(int partition) {
    return read.computeIfAbsent(partition, this::readPartition);
  }

  private Contents readPartition(int partition) {
    Optional<LogSnapshot> log = log(partition);
    if (log.isEmpty()) {
      return Contents.NOTHING;
    }
    try {
      return new Contents(
          OffsetsReplay.read(
              log.get(),
              StoredCommits.nameOf(partition),
              (request, answeredMs, position) -> {},
              Cancellation.NONE),
          null);
    } catch (WhenceException e) {
      if (e.reason().isRetriable()) {
        throw e; // Such as a file that could not be read this time.
      }
      return new Contents(Map.of(), e);
    }
  }

  private int partitionCount() {
    return source.topics().stream()
        .filter(topic -> topic.name().equals(OffsetsTopic.NAME))
        .mapToInt(TopicInfo::partitionCount)
        .findFirst()
        .orElse(0);
  }

  /** Returns the log of a partition, unless another broker had it. */
  private Optional<LogSnapshot> log(int partition) {
    try {
      return Optional.of(source.snapshot(new TopicPartition(OffsetsTopic.NAME, partition)));
    } catch (WhenceException e) {
      if (e.reason() == ErrorReason.UNKNOWN_PARTITION) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public Optional<Group> group(String group) {
    OptionalInt partition = partitionOf(group);
    return partition.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(contents(partition.getAsInt()).groups().get(group));
  }

  /**
   * Returns which partition has a group. Only Kafka knows how many partitions there were, so it is
   * looked for in all that the archive has.
   */
  private OptionalInt partitionOf(String group) {
    WhenceException damage = null;
    for (int partition = 0; partition < partitionCount(); partition++) {
      Contents contents = contents(partition);
      if (contents.groups().containsKey(group)) {
        return OptionalInt.of(partition);
      }
      damage = damage == null ? contents.damage() : damage;
    }
    if (damage != null) {
      throw damage; // It may have been there.
    }
    return OptionalInt.empty();
  }

  @Override
  public Collection<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (int partition = 0; partition < partitionCount(); partition++) {
      Contents contents = contents(partition);
      if (contents.damage() != null) {
        throw contents.damage();
      }
      groups.addAll(contents.groups().values());
    }
    return groups;
  }

  @Override
  public OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    // How long the broker kept the others is a setting of it that its directory doesn't have.
    return offset.explicitExpiryMs();
  }

  @Override
  public List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation) {
    OptionalInt number = partitionOf(group);
    if (number.isEmpty()) {
      return List.of();
    }
    return log(number.getAsInt())
        .map(log -> new Commits(log, group, partition, limit).find(cancellation))
        .orElse(List.of());
  }

  /** The commits of one offset that a log still holds. Thread safety: single-writer. */
  private static final class Commits {
    private final LogSnapshot log;
    private final OffsetsKey wanted;
    private final int limit;
    private final Deque<OffsetChange> newestFirst = new ArrayDeque<>();
    private long before = -1;

    Commits(LogSnapshot log, String group, TopicPartition partition, int limit) {
      this.log = log;
      this.wanted = new OffsetsKey.Offset(group, partition.topic(), partition.partition());
      this.limit = limit;
    }

    List<OffsetChange> find(Cancellation cancellation) {
      log.readAll(log.logStartOffset(), this::visit, cancellation);
      return new ArrayList<>(newestFirst);
    }

    private boolean visit(RecordBatch batch, RecordCursor record) {
      byte[] key = record.key();
      TransactionFate fate = log.fate(batch);
      boolean counts = fate != TransactionFate.ABORTED && fate != TransactionFate.OPEN;
      if (counts && key != null && isWanted(record, key)) {
        byte[] value = record.value();
        if (value == null) {
          newestFirst.clear();
          before = -1;
        } else {
          add(StoredCommits.parse(record.offset(), () -> OffsetValue.parse(value)));
        }
      }
      return true;
    }

    private boolean isWanted(RecordCursor record, byte[] key) {
      return StoredCommits.parse(record.offset(), () -> OffsetsKey.parse(key)).equals(wanted);
    }

    private void add(OffsetValue committed) {
      newestFirst.addFirst(
          new OffsetChange(
              committed.commitTimeMs(),
              "",
              before,
              committed.nextOffset(),
              "",
              ChangeCause.UNKNOWN));
      before = committed.nextOffset();
      if (newestFirst.size() > limit) {
        newestFirst.removeLast();
      }
    }
  }

  @Override
  public CommitReply commit(CommitRequest request, Cancellation cancellation) {
    throw readOnly();
  }

  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions, Cancellation cancellation) {
    throw readOnly();
  }

  @Override
  public CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation) {
    throw readOnly();
  }

  private WhenceException readOnly() {
    return WhenceException.of(
        ErrorReason.READ_ONLY_SOURCE,
        "source: '" + source.name() + "' is read-only; commit to an embedded source",
        "source",
        source.name());
  }
}
