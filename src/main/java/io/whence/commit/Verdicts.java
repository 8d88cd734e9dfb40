package io.whence.commit;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a request comes to, given what is committed: a result for each entry, and what is to be
 * written. Thread safety: single-writer.
 */
final class Verdicts {
  private final CommitRequest request;
  private final Group before;
  private final long nowMs;
  private final List<CommitResult> results;
  private final List<Write> writes = new ArrayList<>();

  /**
   * A record to write.
   *
   * @param partition of which partition
   * @param committed what is committed then
   * @param note beside it
   */
  record Write(TopicPartition partition, CommittedOffset committed, ChangeNote note) {}

  private Verdicts(CommitRequest request, Group before, long nowMs) {
    this.request = request;
    this.before = before;
    this.nowMs = nowMs;
    this.results = new ArrayList<>(request.entries().size());
  }

  /**
   * Judges a request.
   *
   * @param facts of each entry
   * @param before the group as it is
   * @param nowMs the clock, in epoch milliseconds
   * @param basePosition where the first record goes that is written
   */
  static Verdicts of(
      CommitRequest request, List<EntryFacts> facts, Group before, long nowMs, long basePosition) {
    Verdicts verdicts = new Verdicts(request, before, nowMs);
    boolean refused = false;
    for (int i = 0; i < facts.size(); i++) {
      refused |= !verdicts.judge(request.entries().get(i), facts.get(i), basePosition);
    }
    if (refused && request.atomic()) {
      verdicts.applyNothing();
    }
    return verdicts;
  }

  List<CommitResult> results() {
    return results;
  }

  List<Write> writes() {
    return writes;
  }

  private boolean judge(CommitEntry entry, EntryFacts facts, long basePosition) {
    Optional<CommittedOffset> stored = before.offset(facts.partition());
    long storedOffset = stored.map(CommittedOffset::nextOffset).orElse(-1L);
    WhenceException refusal = CommitGuards.refusal(entry, facts, stored);
    if (refusal != null) {
      results.add(new CommitResult(CommitOutcome.FAILED, storedOffset, storedOffset, refusal));
      return false;
    }
    long position = basePosition + writes.size();
    CommittedOffset after = after(entry, facts.id(), stored, position);
    boolean renewal = after.changePosition() != position;
    writes.add(new Write(facts.partition(), after, note(after, stored, renewal)));
    results.add(
        new CommitResult(
            renewal ? CommitOutcome.UNCHANGED : CommitOutcome.COMMITTED,
            storedOffset,
            entry.nextOffset(),
            null));
    return true;
  }

  private CommittedOffset after(
      CommitEntry entry, @Nullable TopicId id, Optional<CommittedOffset> stored, long position) {
    boolean sameTopic = stored.isPresent() && !stored.get().isStaleFor(Optional.ofNullable(id));
    boolean renewal = sameTopic && isSame(entry, id, stored.get());
    return new CommittedOffset(
        entry.nextOffset(),
        entry.leaderEpoch(),
        entry.metadata(),
        nowMs,
        -1,
        id,
        Math.max(entry.writerEpoch(), sameTopic ? stored.get().fence() : -1),
        renewal ? stored.get().changePosition() : position);
  }

  private static boolean isSame(CommitEntry entry, @Nullable TopicId id, CommittedOffset stored) {
    return entry.nextOffset() == stored.nextOffset()
        && Math.max(entry.leaderEpoch(), -1) == Math.max(stored.epoch(), -1)
        && entry.metadata().equals(stored.metadata())
        && stored.topicId().equals(Optional.ofNullable(id))
        && stored.changePosition() >= 0;
  }

  private ChangeNote note(
      CommittedOffset after, Optional<CommittedOffset> stored, boolean renewal) {
    return new ChangeNote(
        request.cause(),
        renewal,
        stored.map(CommittedOffset::nextOffset).orElse(-1L),
        stored.map(CommittedOffset::changePosition).orElse(-1L),
        after.fence(),
        request.writer(),
        request.requestId());
  }

  private void applyNothing() {
    writes.clear();
    results.replaceAll(
        result ->
            result.outcome() == CommitOutcome.FAILED
                ? result
                : new CommitResult(
                    CommitOutcome.NOT_APPLIED, result.before(), result.before(), null));
  }
}
