package io.whence.grpc;

import io.whence.commit.CommitEntry;
import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitReply;
import io.whence.commit.CommitResult;
import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.model.WhenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of the entries of one group. Thread safety: immutable.
 *
 * @param results one for each entry, in order
 * @param replayed whether these are the results of an earlier request
 * @param refusal why none of the entries was taken; null if they were
 */
record GroupAnswer(
    List<CommitResult> results, boolean replayed, @Nullable WhenceException refusal) {

  /** Returns what a reply says. */
  static GroupAnswer of(CommitReply reply) {
    return new GroupAnswer(reply.results(), reply.replayed(), null);
  }

  /**
   * Returns that none of the entries was taken.
   *
   * @param now the group, whose offsets are what they were
   */
  static GroupAnswer refused(
      List<CommitEntry> entries, Optional<Group> now, WhenceException refusal) {
    List<CommitResult> results = new ArrayList<>(entries.size());
    for (CommitEntry entry : entries) {
      long committed =
          now.flatMap(group -> group.offset(entry.partition()))
              .map(CommittedOffset::nextOffset)
              .orElse(-1L);
      results.add(new CommitResult(CommitOutcome.FAILED, committed, committed, refusal));
    }
    return new GroupAnswer(results, false, refusal);
  }

  /** Returns whether none of the entries was taken. */
  boolean isRefused() {
    return refusal != null;
  }
}
