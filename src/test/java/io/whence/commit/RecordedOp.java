package io.whence.commit;

import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import java.util.List;
import java.util.Map;

/**
 * One call and its answer. Thread safety: immutable.
 *
 * @param id names it; the records that it wrote have it as their time
 * @param call when it was made; from one sequence with {@code end}
 * @param end when it was answered
 * @param ask what was asked
 * @param answer what was answered
 */
record RecordedOp(long id, long call, long end, Ask ask, Answer answer) {
  /** What was asked. */
  sealed interface Ask {
    String group();
  }

  /** A commit. */
  record Commit(CommitRequest request) implements Ask {
    @Override
    public String group() {
      return request.group();
    }
  }

  /** What has the group committed? */
  record Read(String group) implements Ask {}

  /** A deletion of some offsets. */
  record Delete(String group, List<TopicPartition> partitions) implements Ask {}

  /** A deletion of all offsets. */
  record DeleteGroup(String group) implements Ask {}

  /** What was answered. */
  sealed interface Answer {}

  /** To a commit. */
  record Results(List<Verdict> verdicts, boolean replayed) implements Answer {}

  /** What became of an entry; the reason is empty unless it failed. */
  record Verdict(CommitOutcome outcome, long before, long now, String reason) {
    static Verdict of(CommitResult result) {
      return new Verdict(
          result.outcome(),
          result.before(),
          result.now(),
          result.failure().map(failure -> failure.reason().name()).orElse(""));
    }
  }

  /** To a read. */
  record Seen(Map<TopicPartition, CommittedOffset> offsets) implements Answer {}

  /** To a deletion of some offsets: what each was; -1 for nothing. */
  record Deleted(List<Long> before) implements Answer {}

  /** To a deletion of all offsets: how many there were. */
  record DeletedAll(int count) implements Answer {}

  /** The whole call was refused. */
  record Refused(ErrorReason reason) implements Answer {}

  /** The disk refused it, or what it was judged by. */
  record DiskFailed() implements Answer {}
}
