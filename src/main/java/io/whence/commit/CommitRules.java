package io.whence.commit;

import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a commit, for sources whose offsets are kept elsewhere: they are the same whoever
 * keeps them. Thread safety: immutable.
 */
public final class CommitRules {
  private CommitRules() {}

  /**
   * Checks what of an entry depends neither on what is committed nor on the log.
   *
   * @param id the id that the topic has; null when it has none
   * @param metadataMaxChars how many UTF-16 characters the metadata may have
   * @throws WhenceException {@code STALE_TOPIC} or {@code METADATA_TOO_LARGE}
   */
  public static void check(CommitEntry entry, @Nullable TopicId id, int metadataMaxChars) {
    EntryChecks.requireTopicId(entry, id);
    EntryChecks.requireMetadataLength(entry, metadataMaxChars);
  }

  /**
   * Judges a request; writes nothing.
   *
   * @param facts of each entry
   * @param before the group as it is
   * @param nowMs the clock, in epoch milliseconds
   * @return what becomes of each entry, in order; those with {@code COMMITTED} are to be written
   */
  public static List<CommitResult> judge(
      CommitRequest request, List<EntryFacts> facts, Group before, long nowMs) {
    return List.copyOf(Verdicts.of(request, facts, before, nowMs, 0).results());
  }

  /** Returns a number that tells requests apart; the same for the same request, in any process. */
  public static long fingerprint(CommitRequest request) {
    return AnsweredRequest.fingerprintOf(request);
  }

  /** Returns the failure of a request whose id was used for another one. */
  public static WhenceException reused(String group, String requestId) {
    return RequestTable.reused(group, requestId);
  }

  /** Returns the failure of a request that can't be remembered, as there are too many. */
  public static WhenceException tooManyRequests(int limit) {
    return RequestTable.full(limit);
  }

  /** Returns the failure of a group that is not there. */
  public static WhenceException unknownGroup(String group) {
    return CommitFailures.unknownGroup(group);
  }
}
