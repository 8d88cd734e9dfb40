package io.whence.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Group offsets in maps, with the semantics of the port and a disk that a test can hold up or let
 * fail. Decides by what was asked for, shows only what is "on disk". Thread safety: thread-safe.
 */
public final class MapGroupOffsets implements GroupOffsets {
  private final Object lock = new Object();
  private final LogSource source;
  private final InstantSource clock;

  @GuardedBy("lock")
  private final Map<String, Group> onDisk = new HashMap<>();

  @GuardedBy("lock")
  private final Map<String, Group> written = new HashMap<>();

  @GuardedBy("lock")
  private final Map<String, Answered> requests = new HashMap<>();

  @GuardedBy("lock")
  private final List<CommitRequest> made = new ArrayList<>();

  @GuardedBy("lock")
  private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean held;

  @GuardedBy("lock")
  private boolean readOnly;

  @GuardedBy("lock")
  private long nextPosition;

  /** A request that was answered, refused ones included. */
  private record Answered(List<CommitEntry> entries, List<CommitResult> results) {}

  /** Makes an empty store of the offsets of a source. */
  public MapGroupOffsets(LogSource source, InstantSource clock) {
    this.source = source;
    this.clock = clock;
  }

  /** Refuses commits from now on, as an archive does. */
  public void makeReadOnly() {
    synchronized (lock) {
      readOnly = true;
    }
  }

  /** Lets everything that is written from now on wait for the disk. */
  public void holdDisk() {
    synchronized (lock) {
      held = true;
    }
  }

  /** Puts on disk what waits. */
  public void releaseDisk() {
    List<CompletableFuture<Void>> done;
    synchronized (lock) {
      held = false;
      publish();
      done = List.copyOf(waiting);
      waiting.clear();
    }
    done.forEach(commit -> commit.complete(null));
  }

  /** Refuses what waits, as a full disk does. */
  public void failDisk() {
    List<CompletableFuture<Void>> refused;
    synchronized (lock) {
      held = false;
      written.clear();
      written.putAll(onDisk);
      requests.clear();
      refused = List.copyOf(waiting);
      waiting.clear();
    }
    WhenceException full = WhenceException.of(ErrorReason.STORAGE_FULL, "the disk is full");
    refused.forEach(commit -> commit.completeExceptionally(full));
  }

  /** Returns the requests that committed something, in order. */
  public List<CommitRequest> made() {
    synchronized (lock) {
      return List.copyOf(made);
    }
  }

  /** Commits one offset for the topic as it is, whatever is committed. */
  public void put(String group, TopicPartition partition, long offset) {
    put(group, partition, offset, source.topic(partition.topic()).id());
  }

  /** Commits one offset for a topic of this id, whether there is one or not. */
  public void put(String group, TopicPartition partition, long offset, @Nullable TopicId id) {
    put(group, partition, offset, id, -1);
  }

  /** Commits one offset with the epoch of a writer. */
  public void put(
      String group, TopicPartition partition, long offset, @Nullable TopicId id, long fence) {
    synchronized (lock) {
      CommittedOffset committed =
          new CommittedOffset(offset, 3, "kept", clock.millis(), -1, id, fence, nextPosition++);
      change(group, Map.of(partition, Optional.of(committed)));
      publish();
    }
  }

  @Override
  public Optional<Group> group(String group) {
    synchronized (lock) {
      return Optional.ofNullable(onDisk.get(group));
    }
  }

  @Override
  public Collection<Group> groups() {
    synchronized (lock) {
      return List.copyOf(onDisk.values());
    }
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
    synchronized (lock) {
      if (readOnly) {
        throw WhenceException.of(ErrorReason.READ_ONLY_SOURCE, "it is an archive");
      }
      String key = request.group() + "\n" + request.requestId();
      Answered earlier = requests.get(key);
      if (!request.requestId().isEmpty() && !request.dryRun() && earlier != null) {
        if (!earlier.entries().equals(request.entries())) {
          throw WhenceException.of(ErrorReason.REQUEST_ID_REUSED, "another request");
        }
        return reply(earlier.results(), true);
      }
      List<CommitResult> results = new ArrayList<>();
      for (CommitEntry entry : request.entries()) {
        results.add(judge(request, entry));
      }
      boolean refused = results.stream().anyMatch(r -> r.failure().isPresent());
      if (refused && request.atomic()) {
        results = results.stream().map(MapGroupOffsets::notApplied).toList();
      } else if (!request.dryRun()) {
        make(request, results);
      }
      if (!request.dryRun()) {
        requests.put(key, new Answered(request.entries(), results));
      }
      return reply(results, false);
    }
  }

  @Override
  public CompletionStage<List<DeletedOffset>> deleteOffsets(
      String group, List<TopicPartition> partitions, Cancellation cancellation) {
    synchronized (lock) {
      List<DeletedOffset> deleted = new ArrayList<>();
      for (TopicPartition partition : partitions) {
        Optional<CommittedOffset> stored = stored(group, partition);
        deleted.add(
            new DeletedOffset(partition, stored.map(CommittedOffset::nextOffset).orElse(-1L)));
        change(group, Map.of(partition, Optional.empty()));
      }
      publish();
      return CompletableFuture.completedFuture(deleted);
    }
  }

  @Override
  public CompletionStage<Integer> deleteGroup(String group, Cancellation cancellation) {
    throw new UnsupportedOperationException("no test needs it");
  }

  private static CommitResult notApplied(CommitResult result) {
    return result.failure().isPresent()
        ? result
        : new CommitResult(CommitOutcome.NOT_APPLIED, result.before(), result.before(), null);
  }

  @GuardedBy("lock")
  private CommitReply reply(List<CommitResult> results, boolean replayed) {
    CompletableFuture<Void> durable = new CompletableFuture<>();
    if (held) {
      waiting.add(durable);
    } else {
      publish();
      durable.complete(null);
    }
    return new CommitReply(results, replayed, durable);
  }

  @GuardedBy("lock")
  private CommitResult judge(CommitRequest request, CommitEntry entry) {
    Optional<CommittedOffset> stored = stored(request.group(), entry.partition());
    long before = stored.map(CommittedOffset::nextOffset).orElse(-1L);
    Optional<ErrorReason> refusal = refusal(entry, stored);
    if (refusal.isPresent()) {
      WhenceException error = WhenceException.of(refusal.get(), "refused: " + refusal.get());
      return new CommitResult(CommitOutcome.FAILED, before, before, error);
    }
    boolean same =
        stored
            .filter(s -> s.nextOffset() == entry.nextOffset() && s.epoch() == entry.leaderEpoch())
            .filter(s -> s.metadata().equals(entry.metadata()))
            .isPresent();
    CommitOutcome outcome = same ? CommitOutcome.UNCHANGED : CommitOutcome.COMMITTED;
    return new CommitResult(outcome, before, entry.nextOffset(), null);
  }

  private Optional<ErrorReason> refusal(CommitEntry entry, Optional<CommittedOffset> stored) {
    Optional<TopicId> id;
    LogSnapshot log;
    try {
      id = source.topic(entry.partition().topic()).topicId();
      log = source.snapshot(entry.partition());
    } catch (WhenceException e) {
      return Optional.of(e.reason());
    }
    boolean stale = stored.filter(s -> s.isStaleFor(id)).isPresent();
    if (entry.topicId() != null && !id.equals(Optional.of(entry.topicId()))) {
      return Optional.of(ErrorReason.STALE_TOPIC);
    } else if (!isExpected(entry.expected(), stored, stale)) {
      return Optional.of(ErrorReason.CONFLICT);
    } else if (!stale && stored.filter(s -> s.fence() > entry.writerEpoch()).isPresent()) {
      return Optional.of(ErrorReason.FENCED);
    } else if (!entry.allowRewind()
        && !stale
        && stored.filter(s -> s.nextOffset() > entry.nextOffset()).isPresent()) {
      return Optional.of(ErrorReason.REGRESSION);
    }
    boolean outside =
        entry.nextOffset() < log.logStartOffset() || entry.nextOffset() > log.highWatermark();
    return outside && !entry.allowOutOfRange()
        ? Optional.of(ErrorReason.OFFSET_OUT_OF_RANGE)
        : Optional.empty();
  }

  private static boolean isExpected(
      Expected expected, Optional<CommittedOffset> stored, boolean stale) {
    if (expected instanceof Expected.Nothing) {
      return stored.isEmpty() || stale;
    } else if (expected instanceof Expected.Offset offset) {
      return stored.filter(s -> s.nextOffset() == offset.offset()).isPresent();
    } else if (expected instanceof Expected.Change change) {
      return stored.filter(s -> s.isSameChange(change.committed())).isPresent();
    }
    return true;
  }

  @GuardedBy("lock")
  private void make(CommitRequest request, List<CommitResult> results) {
    Map<TopicPartition, Optional<CommittedOffset>> changes = new HashMap<>();
    for (int i = 0; i < results.size(); i++) {
      CommitEntry entry = request.entries().get(i);
      if (results.get(i).failure().isEmpty()) {
        Optional<CommittedOffset> stored = stored(request.group(), entry.partition());
        boolean same = results.get(i).outcome() == CommitOutcome.UNCHANGED;
        CommittedOffset next =
            new CommittedOffset(
                entry.nextOffset(),
                entry.leaderEpoch(),
                entry.metadata(),
                clock.millis(),
                -1,
                source.topic(entry.partition().topic()).id(),
                entry.writerEpoch(),
                same ? stored.orElseThrow().changePosition() : nextPosition++);
        changes.put(entry.partition(), Optional.of(next));
      }
    }
    change(request.group(), changes);
    made.add(request);
  }

  @GuardedBy("lock")
  private Optional<CommittedOffset> stored(String group, TopicPartition partition) {
    return Optional.ofNullable(written.get(group)).flatMap(known -> known.offset(partition));
  }

  @GuardedBy("lock")
  private void change(String group, Map<TopicPartition, Optional<CommittedOffset>> changes) {
    Map<String, TreeMap<Integer, Optional<CommittedOffset>>> byTopic = new HashMap<>();
    changes.forEach(
        (partition, offset) ->
            byTopic
                .computeIfAbsent(partition.topic(), topic -> new TreeMap<>())
                .put(partition.partition(), offset));
    written.compute(
        group, (name, known) -> (known == null ? Group.empty(name) : known).with(byTopic));
  }

  @GuardedBy("lock")
  private void publish() {
    onDisk.putAll(written);
    onDisk.values().removeIf(Group::isEmpty);
  }
}
