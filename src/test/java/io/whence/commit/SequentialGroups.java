package io.whence.commit;

import io.whence.commit.RecordedOp.Answer;
import io.whence.commit.RecordedOp.Ask;
import io.whence.commit.RecordedOp.Verdict;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a call must be answered when it is the only one: the rules of commits in their plainest
 * form, without requests that are sent again. Thread safety: immutable.
 *
 * @param id of the topic
 * @param partitions how many it has
 * @param end of each partition; all start at 0
 */
record SequentialGroups(TopicId id, int partitions, long end) {
  /**
   * What a call comes to.
   *
   * @param answer to it
   * @param writes in order; an empty value removes
   * @param after what the group has committed then
   */
  record Step(Answer answer, List<Write> writes, Map<TopicPartition, CommittedOffset> after) {}

  /** A record of an offset. */
  record Write(TopicPartition partition, Optional<CommittedOffset> value) {}

  /**
   * Answers a call.
   *
   * @param before what the group has committed
   * @param nowMs when
   * @param position where the first record goes
   */
  Step answer(Ask ask, Map<TopicPartition, CommittedOffset> before, long nowMs, long position) {
    if (ask instanceof RecordedOp.Commit commit) {
      return commit(commit.request(), before, nowMs, position);
    }
    if (ask instanceof RecordedOp.Delete delete) {
      List<Long> was =
          delete.partitions().stream()
              .map(p -> offset(Optional.ofNullable(before.get(p))))
              .toList();
      List<TopicPartition> present =
          delete.partitions().stream().filter(before::containsKey).toList();
      return remove(new RecordedOp.Deleted(was), before, present);
    }
    if (ask instanceof RecordedOp.DeleteGroup) {
      return before.isEmpty()
          ? new Step(new RecordedOp.Refused(ErrorReason.UNKNOWN_GROUP), List.of(), before)
          : remove(new RecordedOp.DeletedAll(before.size()), before, List.copyOf(before.keySet()));
    }
    return new Step(new RecordedOp.Seen(before), List.of(), before);
  }

  private static long offset(Optional<CommittedOffset> committed) {
    return committed.map(CommittedOffset::nextOffset).orElse(-1L);
  }

  private static Step remove(
      Answer answer, Map<TopicPartition, CommittedOffset> before, List<TopicPartition> gone) {
    Map<TopicPartition, CommittedOffset> after = new HashMap<>(before);
    gone.forEach(after::remove);
    return new Step(answer, gone.stream().map(p -> new Write(p, Optional.empty())).toList(), after);
  }

  private Step commit(
      CommitRequest request,
      Map<TopicPartition, CommittedOffset> before,
      long nowMs,
      long position) {
    List<Write> writes = new ArrayList<>();
    List<Verdict> verdicts = new ArrayList<>();
    for (CommitEntry entry : request.entries()) {
      Optional<CommittedOffset> stored = Optional.ofNullable(before.get(entry.partition()));
      String refusal = refusal(entry, stored);
      long was = offset(stored);
      if (!refusal.isEmpty()) {
        verdicts.add(new Verdict(CommitOutcome.FAILED, was, was, refusal));
        continue;
      }
      boolean same = stored.isPresent() && isSame(entry, stored.get());
      long change = same ? stored.get().changePosition() : position + writes.size();
      long fence = Math.max(entry.writerEpoch(), stored.map(CommittedOffset::fence).orElse(-1L));
      CommittedOffset now =
          new CommittedOffset(
              entry.nextOffset(),
              entry.leaderEpoch(),
              entry.metadata(),
              nowMs,
              -1,
              id,
              fence,
              change);
      writes.add(new Write(entry.partition(), Optional.of(now)));
      CommitOutcome outcome = same ? CommitOutcome.UNCHANGED : CommitOutcome.COMMITTED;
      verdicts.add(new Verdict(outcome, was, entry.nextOffset(), ""));
    }
    if (request.atomic() && writes.size() < request.entries().size()) {
      writes.clear();
      verdicts.replaceAll(SequentialGroups::notApplied);
    }
    return new Step(new RecordedOp.Results(verdicts, false), writes, after(before, writes));
  }

  private static Verdict notApplied(Verdict verdict) {
    return verdict.outcome() == CommitOutcome.FAILED
        ? verdict
        : new Verdict(CommitOutcome.NOT_APPLIED, verdict.before(), verdict.before(), "");
  }

  private static Map<TopicPartition, CommittedOffset> after(
      Map<TopicPartition, CommittedOffset> before, List<Write> writes) {
    Map<TopicPartition, CommittedOffset> after = new HashMap<>(before);
    writes.forEach(write -> after.put(write.partition(), write.value().orElseThrow()));
    return after;
  }

  private static boolean isSame(CommitEntry entry, CommittedOffset stored) {
    return entry.nextOffset() == stored.nextOffset()
        && entry.leaderEpoch() == stored.epoch()
        && entry.metadata().equals(stored.metadata());
  }

  /** Returns why an entry is refused; empty if it isn't. */
  private String refusal(CommitEntry entry, Optional<CommittedOffset> stored) {
    if (entry.partition().partition() >= partitions) {
      return "UNKNOWN_PARTITION";
    }
    boolean reset = entry.expected() instanceof Expected.Change;
    if (!reset && stored.isPresent() && entry.writerEpoch() < stored.get().fence()) {
      return "FENCED";
    }
    if (!isMet(entry.expected(), stored)) {
      return "CONFLICT";
    }
    if (entry.nextOffset() > end && !entry.allowOutOfRange()) {
      return "OFFSET_OUT_OF_RANGE";
    }
    return !entry.allowRewind() && entry.nextOffset() < offset(stored) ? "REGRESSION" : "";
  }

  private static boolean isMet(Expected expected, Optional<CommittedOffset> stored) {
    if (expected instanceof Expected.Nothing) {
      return stored.isEmpty();
    }
    if (expected instanceof Expected.Offset wanted) {
      return offset(stored) == wanted.offset();
    }
    if (expected instanceof Expected.Change wanted) {
      return stored.isPresent()
          && stored.get().nextOffset() == wanted.committed().nextOffset()
          && stored.get().changePosition() == wanted.committed().changePosition()
          && stored.get().fence() == wanted.committed().fence();
    }
    return true;
  }
}
