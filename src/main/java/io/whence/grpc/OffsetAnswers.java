package io.whence.grpc;

import io.whence.commit.ChangeCause;
import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import io.whence.v1.OffsetChange;
import io.whence.v1.OffsetResult;
import io.whence.v1.OffsetStatus;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Committed offsets as they are shown: whether they can be used, when they expire, how they came to
 * be. A topic is looked up once for each call. Thread safety: single-writer.
 */
final class OffsetAnswers {
  private static final String STATUS_PREFIX = "OFFSET_STATUS_";

  private final CallScope scope;
  private final LogSource source;
  private final GroupOffsets groups;
  private final int history;
  private final Map<String, Optional<TopicInfo>> topics = new HashMap<>();
  private final Map<String, Function<TopicPartition, List<io.whence.commit.OffsetChange>>>
      histories = new HashMap<>();
  private final EnumMap<OffsetStatus, Integer> counts = new EnumMap<>(OffsetStatus.class);

  /**
   * Makes answers.
   *
   * @param history how many changes to show of each offset
   */
  OffsetAnswers(CallScope scope, LogSource source, GroupOffsets groups, int history) {
    this.scope = scope;
    this.source = source;
    this.groups = groups;
    this.history = history;
  }

  /** Returns how many partitions a topic has; 0 for one that can't be looked up. */
  int partitionCount(String topic) {
    try {
      return topic(topic).map(TopicInfo::partitionCount).orElse(0);
    } catch (RuntimeException e) {
      return 0; // Each partition is going to say so itself.
    }
  }

  /** Returns what a group has committed for a partition. */
  OffsetResult of(Group group, String topic, int partition) {
    scope.cancellation().check();
    OffsetResult result =
        PartitionGuard.answer(
            scope,
            topic,
            partition,
            () -> told(group, topic, partition),
            error ->
                start(topic, partition)
                    .setStatus(OffsetStatus.OFFSET_STATUS_FAILED)
                    .setError(error)
                    .build());
    counts.merge(result.getStatus(), 1, Integer::sum);
    return result;
  }

  /** Counts a group that could not be told. */
  void countFailed() {
    counts.merge(OffsetStatus.OFFSET_STATUS_FAILED, 1, Integer::sum);
  }

  /** Tells the listener what the answers came to. */
  void report() {
    counts.forEach(
        (status, count) ->
            scope
                .listener()
                .onAnswers(
                    scope.rpc(),
                    "none",
                    status.name().substring(STATUS_PREFIX.length()).toLowerCase(Locale.ROOT),
                    count));
  }

  private OffsetResult told(Group group, String topic, int partition) {
    Optional<CommittedOffset> committed = group.offset(topic, partition);
    OffsetResult.Builder result =
        start(topic, partition).setStatus(status(topic(topic), partition, committed));
    if (committed.isPresent() && result.getStatus() == OffsetStatus.OFFSET_STATUS_CURRENT) {
      cutOffAt(new TopicPartition(topic, partition), committed.get())
          .ifPresent(
              end -> result.setStatus(OffsetStatus.OFFSET_STATUS_TRUNCATED).setSafeNextOffset(end));
    }
    committed.ifPresent(offset -> result.setCommitted(committed(group, offset)));
    if (history > 0) {
      histories
          .computeIfAbsent(group.name(), this::history)
          .apply(new TopicPartition(topic, partition))
          .forEach(change -> result.addHistory(change(change)));
    }
    return result.build();
  }

  /** Returns where the log was cut off below what was read, if so and if that can be told. */
  private OptionalLong cutOffAt(TopicPartition partition, CommittedOffset offset) {
    if (offset.leaderEpoch().isEmpty()) {
      return OptionalLong.empty();
    }
    LogSnapshot log;
    try {
      log = source.snapshot(partition);
    } catch (WhenceException e) {
      return OptionalLong.empty(); // The offset is known, if not its log.
    }
    OptionalLong end = log.leaderEpochs().endOf(offset.leaderEpoch().getAsInt());
    return end.isPresent() && end.getAsLong() < offset.nextOffset() ? end : OptionalLong.empty();
  }

  private Function<TopicPartition, List<io.whence.commit.OffsetChange>> history(String group) {
    try {
      return groups.histories(group, history, scope.cancellation());
    } catch (WhenceException e) {
      scope.cancellation().check();
      return partition -> {
        throw e; // The same for each, and not asked for each anew.
      };
    }
  }

  private static OffsetStatus status(
      Optional<TopicInfo> topic, int partition, Optional<CommittedOffset> committed) {
    if (topic.isEmpty()) {
      return OffsetStatus.OFFSET_STATUS_UNKNOWN_TOPIC;
    }
    if (committed.isPresent() && committed.get().isStaleFor(topic.get().topicId())) {
      return OffsetStatus.OFFSET_STATUS_STALE_TOPIC;
    }
    if (partition >= topic.get().partitionCount()) {
      return OffsetStatus.OFFSET_STATUS_UNKNOWN_PARTITION;
    }
    return committed.isPresent()
        ? OffsetStatus.OFFSET_STATUS_CURRENT
        : OffsetStatus.OFFSET_STATUS_NO_OFFSET;
  }

  private Optional<TopicInfo> topic(String topic) {
    return topics.computeIfAbsent(topic, this::lookUp);
  }

  private Optional<TopicInfo> lookUp(String topic) {
    try {
      return Optional.of(source.topic(topic));
    } catch (WhenceException e) {
      if (e.reason() == ErrorReason.UNKNOWN_TOPIC) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private io.whence.v1.CommittedOffset committed(Group group, CommittedOffset offset) {
    io.whence.v1.CommittedOffset.Builder answer =
        io.whence.v1.CommittedOffset.newBuilder()
            .setNextOffset(offset.nextOffset())
            .setMetadata(offset.metadata())
            .setCommitTimeMs(Math.max(0, offset.commitTimeMs()))
            .setTopicId(offset.topicId().map(TopicId::toString).orElse(""));
    offset.leaderEpoch().ifPresent(answer::setLeaderEpoch);
    offset.writerEpoch().ifPresent(answer::setWriterEpoch);
    groups.expiresAtMs(group, offset).ifPresent(answer::setExpiresAtMs);
    return answer.build();
  }

  private static OffsetChange change(io.whence.commit.OffsetChange change) {
    OffsetChange.Builder answer =
        OffsetChange.newBuilder()
            .setChangedAtMs(change.changedAtMs())
            .setWriter(change.writer())
            .setOffsetAfter(change.after())
            .setRequestId(change.requestId())
            .setCause(cause(change.cause()));
    change.offsetBefore().ifPresent(answer::setOffsetBefore);
    return answer.build();
  }

  private static io.whence.v1.ChangeCause cause(ChangeCause cause) {
    return switch (cause) {
      case UNKNOWN -> io.whence.v1.ChangeCause.CHANGE_CAUSE_UNSPECIFIED;
      case COMMIT -> io.whence.v1.ChangeCause.CHANGE_CAUSE_COMMIT;
      case RESET -> io.whence.v1.ChangeCause.CHANGE_CAUSE_RESET;
    };
  }

  private static OffsetResult.Builder start(String topic, int partition) {
    return OffsetResult.newBuilder().setTopic(topic).setPartition(partition);
  }
}
