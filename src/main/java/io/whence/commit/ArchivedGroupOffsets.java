package io.whence.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of groups that a broker's data directory holds, in its offsets topic. Read with the
 * first question, and kept. Thread safety: thread-safe.
 */
public final class ArchivedGroupOffsets implements GroupOffsets {
  private final Object lock = new Object();
  private final LogSource source;
  private final ExpiryRule expiry;

  @GuardedBy("lock")
  private @Nullable Map<String, Group> read;

  /**
   * Makes the offsets of an archive; reads nothing yet.
   *
   * @param retention how long the broker kept offsets
   */
  public ArchivedGroupOffsets(LogSource source, Duration retention) {
    this.source = source;
    this.expiry = new ExpiryRule(retention);
  }

  private Map<String, Group> all() {
    synchronized (lock) {
      Map<String, Group> known = read;
      if (known == null) {
        known = readAll();
        read = known;
      }
      return known;
    }
  }

  private Map<String, Group> readAll() {
    Map<String, Group> groups = new HashMap<>();
    for (int partition = 0; partition < partitionCount(); partition++) {
      Optional<LogSnapshot> log = log(partition);
      if (log.isPresent()) {
        groups.putAll(
            OffsetsReplay.read(
                log.get(),
                StoredCommits.nameOf(partition),
                (request, answeredMs, position) -> {},
                Cancellation.NONE));
      }
    }
    return Map.copyOf(groups);
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
    return Optional.ofNullable(all().get(group));
  }

  @Override
  public Collection<Group> groups() {
    return all().values();
  }

  @Override
  public OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    return expiry.expiresAtMs(group, offset);
  }

  @Override
  public List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation) {
    // Only Kafka knows how many partitions there were, and which of them an archive has.
    for (int number = 0; number < partitionCount(); number++) {
      Optional<LogSnapshot> log = log(number);
      List<OffsetChange> found =
          log.isPresent()
              ? new Commits(log.get(), group, partition, limit).find(cancellation)
              : List.of();
      if (!found.isEmpty()) {
        return found;
      }
    }
    return List.of();
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
  public CommitReply commit(CommitRequest request) {
    throw readOnly();
  }

  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions) {
    throw readOnly();
  }

  @Override
  public CompletionStage<Integer> deleteGroup(String group) {
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
