package io.whence.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.log.AppendBatch;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.source.InternalTopic;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one partition of the offsets topic. Changes are judged and written in one order,
 * under one lock, against everything that was written before; they are published, and told of, in
 * the same order once they are on disk (I9). Readers take no lock. Thread safety: thread-safe.
 */
final class OffsetsPartition {
  private final Object lock = new Object();
  private final InternalTopic topic;
  private final int number;

  /** What is on disk. */
  private final Map<String, Group> groups;

  /** Why the groups are not known; null when they are. */
  private final @Nullable WhenceException damage;

  @GuardedBy("lock")
  private final PendingCommits pending;

  @GuardedBy("lock")
  private final RequestTable requests;

  private OffsetsPartition(
      InternalTopic topic,
      int number,
      Map<String, Group> groups,
      long nextOffset,
      RequestTable requests,
      @Nullable WhenceException damage) {
    this.topic = topic;
    this.number = number;
    this.groups = new ConcurrentHashMap<>(groups);
    this.pending = new PendingCommits(nextOffset);
    this.requests = requests;
    this.damage = damage;
  }

  /**
   * Reads a partition. One whose log can't be read or understood is opened all the same, and
   * answers everything with that failure: its neighbours are good.
   */
  static OffsetsPartition open(InternalTopic topic, int number, RequestTable requests, long nowMs) {
    LogSnapshot log = topic.snapshot(number);
    try {
      Map<String, Group> groups =
          OffsetsReplay.read(
              log,
              StoredCommits.nameOf(number),
              (request, answeredMs, position) ->
                  requests.addStored(
                      RequestKey.of(request.group(), request.requestId()),
                      answeredMs,
                      position,
                      nowMs),
              Cancellation.NONE);
      return new OffsetsPartition(topic, number, groups, log.highWatermark(), requests, null);
    } catch (WhenceException e) {
      return new OffsetsPartition(topic, number, Map.of(), log.highWatermark(), requests, e);
    }
  }

  boolean isReadable() {
    return damage == null;
  }

  Optional<String> warning() {
    return Optional.ofNullable(damage)
        .map(
            why ->
                StoredCommits.nameOf(number) + ": its groups can't be told: " + why.getMessage());
  }

  private void requireReadable() {
    if (damage != null) {
      throw damage;
    }
  }

  Optional<Group> group(String name) {
    requireReadable();
    return Optional.ofNullable(groups.get(name));
  }

  Collection<Group> groups() {
    requireReadable();
    return groups.values();
  }

  LogSnapshot log() {
    return topic.snapshot(number);
  }

  int number() {
    return number;
  }

  /** Judges a request where nothing was ever committed. */
  static CommitReply dryRun(CommitRequest request, List<EntryFacts> facts, long nowMs) {
    Verdicts verdicts = Verdicts.of(request, facts, Group.empty(request.group()), nowMs, 0);
    return new CommitReply(verdicts.results(), false, CompletableFuture.completedFuture(null));
  }

  /** Judges a request and writes what it comes to. */
  CommitReply commit(CommitRequest request, List<EntryFacts> facts, long nowMs) {
    requireReadable();
    if (request.requestId().isEmpty() || request.dryRun()) {
      synchronized (lock) {
        return decide(request, facts, nowMs, null);
      }
    }
    RequestKey key = RequestKey.of(request.group(), request.requestId());
    long fingerprint = AnsweredRequest.fingerprintOf(request);
    long position;
    synchronized (lock) {
      Optional<RequestTable.Entry> known = requests.find(key, nowMs);
      if (known.isEmpty()) {
        requests.requireRoom(nowMs);
        return decide(request, facts, nowMs, key);
      }
      Optional<CommitReply> reply = known.get().pending();
      if (reply.isPresent()) {
        known.get().requireFingerprint(fingerprint, request.group(), request.requestId());
        return new CommitReply(reply.get().results(), true, reply.get().durable());
      }
      position = known.get().position();
    }
    return stored(request, fingerprint, position);
  }

  /** Reads the answer to a request, on disk since then. */
  private CommitReply stored(CommitRequest request, long fingerprint, long position) {
    AnsweredRequest answered = StoredCommits.answerAt(log(), position);
    if (answered.fingerprint() != fingerprint) {
      throw RequestTable.reused(request.group(), request.requestId());
    }
    return new CommitReply(answered.results(), true, CompletableFuture.completedFuture(null));
  }

  @GuardedBy("lock")
  private CommitReply decide(
      CommitRequest request, List<EntryFacts> facts, long nowMs, @Nullable RequestKey key) {
    Group before = latest(request.group());
    Verdicts verdicts = Verdicts.of(request, facts, before, nowMs, pending.nextOffset());
    if (request.dryRun() || (verdicts.writes().isEmpty() && key == null)) {
      // The results tell of what is written, which must be on disk before anybody knows.
      return new CommitReply(verdicts.results(), false, pending.tail());
    }
    pending.requireRoom();
    CommitRecords.requireSize(request, verdicts);
    long fingerprint = key == null ? 0 : AnsweredRequest.fingerprintOf(request);
    List<SourceRecord> records = CommitRecords.of(request, verdicts, nowMs);
    if (key != null) {
      records.add(CommitRecords.answer(request, verdicts, fingerprint, nowMs));
    }
    List<Group> after =
        verdicts.writes().isEmpty() ? List.of() : List.of(before.with(changes(verdicts)));
    PendingCommits.Batch batch = pending.add(records.size(), after, key);
    CommitReply reply = new CommitReply(verdicts.results(), false, batch.durable());
    if (key != null) {
      requests.addPending(key, nowMs, fingerprint, batch.endOffset() - 1, reply);
    }
    write(batch, records);
    return reply;
  }

  private static Map<String, TreeMap<Integer, Optional<CommittedOffset>>> changes(
      Verdicts verdicts) {
    Map<String, TreeMap<Integer, Optional<CommittedOffset>>> changes = new TreeMap<>();
    for (Verdicts.Write write : verdicts.writes()) {
      changes
          .computeIfAbsent(write.partition().topic(), name -> new TreeMap<>())
          .put(write.partition().partition(), Optional.of(write.committed()));
    }
    return changes;
  }

  @GuardedBy("lock")
  private Group latest(String name) {
    return pending.find(name).orElseGet(() -> groups.getOrDefault(name, Group.empty(name)));
  }

  @GuardedBy("lock")
  private void write(PendingCommits.Batch batch, List<SourceRecord> records) {
    CompletionStage<OffsetRange> written =
        CompletableFuture.failedFuture(
            WhenceException.of(
                ErrorReason.INTERNAL,
                "the commit could not be written; the server's log says more"));
    try {
      written =
          topic.append(number, new AppendBatch(records, CompressionCodec.NONE), batch.baseOffset());
    } catch (RuntimeException e) {
      written = CompletableFuture.failedFuture(e);
    } finally {
      // Also after an Error, such as too little memory: what isn't written must not stay pending.
      settle(batch, written);
    }
  }

  private void settle(PendingCommits.Batch batch, CompletionStage<OffsetRange> written) {
    CompletionStage<OffsetRange> unused =
        written.whenComplete(
            (range, failure) -> {
              if (failure == null) {
                publish(range.endOffset());
              } else {
                giveUp(batch, failure);
              }
            });
  }

  /** Publishes everything up to an offset; also what comes before, since that is on disk, too. */
  private void publish(long endOffset) {
    List<PendingCommits.Batch> durable;
    synchronized (lock) {
      durable = pending.takeDurable(endOffset);
      for (PendingCommits.Batch batch : durable) {
        batch.after().forEach(this::publish);
        RequestKey request = batch.request();
        if (request != null) {
          requests.store(request);
        }
      }
    }
    durable.forEach(batch -> batch.durable().complete(null));
  }

  private void publish(Group group) {
    if (group.isEmpty()) {
      groups.remove(group.name());
    } else {
      groups.put(group.name(), group);
    }
  }

  private void giveUp(PendingCommits.Batch failed, Throwable failure) {
    List<PendingCommits.Batch> refused;
    synchronized (lock) {
      refused = pending.takeFailed(failed, topic.snapshot(number).highWatermark());
      for (PendingCommits.Batch batch : refused) {
        RequestKey request = batch.request();
        if (request != null) {
          requests.remove(request);
        }
      }
    }
    RuntimeException reason = CommitFailures.reasonOf(failure);
    refused.forEach(batch -> batch.durable().completeExceptionally(reason));
  }

  /** Removes offsets of a group; all at once. */
  CompletionStage<List<DeletedOffset>> delete(
      String group, List<TopicPartition> partitions, long nowMs) {
    requireReadable();
    synchronized (lock) {
      Group before = latest(group);
      List<DeletedOffset> deleted = new ArrayList<>();
      for (TopicPartition partition : partitions) {
        long offset = before.offset(partition).map(CommittedOffset::nextOffset).orElse(-1L);
        deleted.add(new DeletedOffset(partition, offset));
      }
      List<TopicPartition> present =
          deleted.stream().filter(d -> d.before() >= 0).map(DeletedOffset::partition).toList();
      return remove(List.of(new Removal(before, present)), nowMs)
          .thenApply(done -> List.copyOf(deleted));
    }
  }

  /** Removes all offsets of a group; returns how many there were. */
  CompletionStage<Integer> deleteGroup(String group, long nowMs) {
    requireReadable();
    synchronized (lock) {
      Group before = latest(group);
      if (before.isEmpty()) {
        // Its offsets may be about to go, which must be on disk before anybody knows.
        return pending
            .tail()
            .thenApply(
                done -> {
                  throw CommitFailures.unknownGroup(group);
                });
      }
      return remove(List.of(new Removal(before, before.partitions())), nowMs)
          .thenApply(done -> before.offsetCount());
    }
  }

  /**
   * Removes what expired, as things are when the lock is taken: a commit under way wins.
   *
   * @param rule when that is
   * @param names the groups to look at; those that are done with are taken out
   * @param limit how many offsets to remove at the most
   * @return how many are removed, once that is on disk
   */
  CompletionStage<Integer> expire(ExpiryRule rule, Deque<String> names, int limit, long nowMs) {
    synchronized (lock) {
      List<Removal> removals = new ArrayList<>();
      int count = 0;
      while (!names.isEmpty() && count < limit) {
        Group group = latest(names.element());
        List<TopicPartition> expired = rule.expired(group, nowMs);
        List<TopicPartition> some = expired.subList(0, Math.min(expired.size(), limit - count));
        removals.add(new Removal(group, some));
        count += some.size();
        if (some.size() == expired.size()) {
          names.remove();
        }
      }
      int removed = count;
      return remove(removals, nowMs).thenApply(done -> removed);
    }
  }

  /** Offsets to remove of a group as it is. */
  private record Removal(Group before, List<TopicPartition> partitions) {}

  @GuardedBy("lock")
  private CompletionStage<Void> remove(List<Removal> removals, long nowMs) {
    List<SourceRecord> records = new ArrayList<>();
    List<Group> after = new ArrayList<>();
    for (Removal removal : removals) {
      if (!removal.partitions().isEmpty()) {
        records.addAll(CommitRecords.tombstones(removal.before(), removal.partitions(), nowMs));
        after.add(removal.before().without(removal.partitions()));
      }
    }
    if (records.isEmpty()) {
      return pending.tail();
    }
    pending.requireRoom();
    PendingCommits.Batch batch = pending.add(records.size(), after, null);
    write(batch, records);
    return batch.durable();
  }

  /** Rewrites the log without what need not be kept; returns how many records were removed. */
  long compact(GroupOptions options) throws IOException {
    OffsetsCompaction keeper =
        OffsetsCompaction.of(
            log(),
            options.historyLimit(),
            options.requestWindow().toMillis(),
            options.clock().millis());
    return topic.compact(number, keeper);
  }

  /** Forgets requests that are too old. */
  void forgetOldRequests(long nowMs) {
    synchronized (lock) {
      requests.forgetOld(nowMs);
    }
  }
}
