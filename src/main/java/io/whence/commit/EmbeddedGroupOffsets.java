package io.whence.commit;

import io.whence.log.SegmentInfo;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.InternalTopic;
import io.whence.source.WritableLogSource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of groups in a source that this server owns, in its offsets topic, which is made with
 * the first commit. Everything is in memory; the log is read at the start, and for history. Thread
 * safety: thread-safe.
 */
public final class EmbeddedGroupOffsets implements GroupOffsets {
  private static final int EXPIRED_AT_ONCE = 1_000;

  private final Object lock = new Object();
  private final WritableLogSource source;
  private final GroupOptions options;
  private final ExpiryRule expiry;
  private final RequestTable.Room room;

  /** By partition, the size of the sealed segments after the last compaction. */
  private final Map<Integer, Long> compactedBytes = new ConcurrentHashMap<>();

  /** Empty until the topic is made. */
  private volatile List<OffsetsPartition> partitions = List.of();

  private EmbeddedGroupOffsets(WritableLogSource source, GroupOptions options) {
    this.source = source;
    this.options = options;
    this.expiry = new ExpiryRule(options.retention());
    this.room = new RequestTable.Room(options.maxRequests());
  }

  /**
   * Reads what the groups have committed.
   *
   * @param reader runs the reading; one task for each partition of the offsets topic
   */
  public static EmbeddedGroupOffsets open(
      WritableLogSource source, GroupOptions options, Executor reader) {
    EmbeddedGroupOffsets offsets = new EmbeddedGroupOffsets(source, options);
    Optional<InternalTopic> topic = source.internalTopic(OffsetsTopic.NAME);
    if (topic.isPresent()) {
      offsets.partitions = offsets.read(topic.get(), reader);
    }
    return offsets;
  }

  private List<OffsetsPartition> read(InternalTopic topic, Executor reader) {
    List<CompletableFuture<OffsetsPartition>> reading = new ArrayList<>();
    for (int i = 0; i < topic.partitionCount(); i++) {
      int number = i;
      reading.add(CompletableFuture.supplyAsync(() -> read(topic, number), reader));
    }
    return reading.stream().map(CompletableFuture::join).toList();
  }

  private OffsetsPartition read(InternalTopic topic, int number) {
    RequestTable requests = new RequestTable(options.requestWindow().toMillis(), room);
    return OffsetsPartition.open(topic, number, requests, options.clock().millis());
  }

  @Override
  public Optional<Group> group(String group) {
    List<OffsetsPartition> all = partitions;
    return all.isEmpty() ? Optional.empty() : of(group, all).group(group);
  }

  private static OffsetsPartition of(String group, List<OffsetsPartition> all) {
    return all.get(OffsetsTopic.partitionFor(group, all.size()));
  }

  @Override
  public Collection<Group> groups() {
    List<Group> groups = new ArrayList<>();
    partitions.forEach(partition -> groups.addAll(partition.groups()));
    return groups;
  }

  @Override
  public OptionalLong expiresAtMs(Group group, CommittedOffset offset) {
    return expiry.expiresAtMs(group, offset);
  }

  @Override
  public List<OffsetChange> history(
      String group, TopicPartition partition, int limit, Cancellation cancellation) {
    List<OffsetsPartition> all = partitions;
    if (all.isEmpty()) {
      return List.of();
    }
    OffsetsPartition of = of(group, all);
    // The log after the group: what the group tells of is in it.
    Optional<CommittedOffset> offset = of.group(group).flatMap(g -> g.offset(partition));
    int kept = Math.min(limit, options.historyLimit());
    return offset.isEmpty()
        ? List.of()
        : StoredCommits.history(of.log(), offset.get(), kept, cancellation);
  }

  @Override
  public CommitReply commit(CommitRequest request, Cancellation cancellation) {
    EntryChecks checks = new EntryChecks(source, options.metadataMaxChars());
    List<EntryFacts> facts = new ArrayList<>(request.entries().size());
    for (CommitEntry entry : request.entries()) {
      facts.add(checks.check(entry));
    }
    long nowMs = options.clock().millis();
    if (request.dryRun() && partitions.isEmpty()) {
      return OffsetsPartition.dryRun(request, facts, nowMs); // It must not make the topic.
    }
    List<OffsetsPartition> all = made();
    if (!request.requestId().isEmpty() && room.isFull()) {
      all.forEach(partition -> partition.forgetOldRequests(nowMs));
    }
    return of(request.group(), all).commit(request, facts, nowMs);
  }

  /** Returns the partitions, and makes the topic if there is none. */
  private List<OffsetsPartition> made() {
    if (partitions.isEmpty()) {
      synchronized (lock) {
        if (partitions.isEmpty()) {
          InternalTopic topic =
              source.createInternalTopic(
                  OffsetsTopic.NAME,
                  OffsetsTopic.PARTITION_COUNT,
                  OffsetsTopic.settings(options.segmentBytes()));
          partitions = read(topic, Runnable::run);
        }
      }
    }
    return partitions;
  }

  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> which, Cancellation cancellation) {
    List<OffsetsPartition> all = partitions;
    return all.isEmpty()
        ? CompletableFuture.completedFuture(
            which.stream().map(partition -> new DeletedOffset(partition, -1)).toList())
        : of(group, all).delete(group, which, options.clock().millis());
  }

  @Override
  public CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation) {
    List<OffsetsPartition> all = partitions;
    if (all.isEmpty()) {
      throw CommitFailures.unknownGroup(group);
    }
    return of(group, all).deleteGroup(group, options.clock().millis());
  }

  /**
   * Removes what has expired. A commit that comes meanwhile wins.
   *
   * @return how many offsets are removed, once that is on disk; fails if a removal does
   */
  public CompletionStage<Integer> expire() {
    long nowMs = options.clock().millis();
    CompletionStage<Integer> removed = CompletableFuture.completedFuture(0);
    for (OffsetsPartition partition : readable()) {
      partition.forgetOldRequests(nowMs);
      Deque<String> names = new ArrayDeque<>();
      for (Group group : partition.groups()) {
        if (!expiry.expired(group, nowMs).isEmpty()) {
          names.add(group.name());
        }
      }
      while (!names.isEmpty()) {
        removed =
            removed.thenCombine(
                partition.expire(expiry, names, EXPIRED_AT_ONCE, nowMs), Integer::sum);
      }
    }
    return removed;
  }

  /**
   * Rewrites partitions of which more than half may be out of date, one after the other. Reads and
   * writes files, and may take long.
   *
   * @return how many records were removed
   * @throws IOException if a partition could not be rewritten; it is as it was. The others are all
   *     the same; the first failure is thrown, with the others suppressed.
   */
  public long compact() throws IOException {
    long removed = 0;
    IOException failure = null;
    for (OffsetsPartition partition : readable()) {
      try {
        removed += compact(partition);
      } catch (IOException | WhenceException e) {
        failure = added(failure, partition.number(), e);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return removed;
  }

  private long compact(OffsetsPartition partition) throws IOException {
    if (!isWorthCompacting(partition)) {
      return 0;
    }
    long removed = partition.compact(options);
    compactedBytes.put(partition.number(), sealedBytes(partition));
    return removed;
  }

  private static IOException added(@Nullable IOException first, int partition, Exception failure) {
    IOException told =
        new IOException(StoredCommits.nameOf(partition) + ": " + failure.getMessage(), failure);
    if (first == null) {
      return told;
    }
    first.addSuppressed(told);
    return first;
  }

  private List<OffsetsPartition> readable() {
    return partitions.stream().filter(OffsetsPartition::isReadable).toList();
  }

  private boolean isWorthCompacting(OffsetsPartition partition) {
    long sealed = sealedBytes(partition);
    return sealed > 2 * compactedBytes.getOrDefault(partition.number(), 0L);
  }

  private static long sealedBytes(OffsetsPartition partition) {
    return partition.log().segments().stream()
        .filter(segment -> !segment.active())
        .mapToLong(SegmentInfo::sizeBytes)
        .sum();
  }

  @Override
  public List<String> warnings() {
    return partitions.stream().flatMap(partition -> partition.warning().stream()).toList();
  }

  /** Returns how much there is, for metrics; of partitions that can be read. */
  public GroupFigures figures() {
    long nowMs = options.clock().millis();
    long[] counts = new long[2];
    int groups = 0;
    for (OffsetsPartition partition : readable()) {
      for (Group group : partition.groups()) {
        groups++;
        counts[0] += group.offsetCount();
        counts[1] += expiry.expired(group, nowMs + GroupFigures.SOON_MS).size();
      }
    }
    return new GroupFigures(groups, counts[0], counts[1], room.taken());
  }
}
