package io.whence.commit;

import java.util.List;

/**
 * Commits of one group. Thread safety: immutable.
 *
 * @param group the group
 * @param entries what to commit; at most one for each partition
 * @param requestId names the request, so that it is done once; empty for none
 * @param atomic commits all or nothing
 * @param dryRun commits nothing
 * @param writer who commits, for the history
 * @param cause how, for the history
 */
public record CommitRequest(
    String group,
    List<CommitEntry> entries,
    String requestId,
    boolean atomic,
    boolean dryRun,
    String writer,
    ChangeCause cause) {
  /** Copies the entries. */
  public CommitRequest {
    entries = List.copyOf(entries);
  }

  /** Returns the same for other entries. */
  public CommitRequest withEntries(List<CommitEntry> others) {
    return new CommitRequest(group, others, requestId, atomic, dryRun, writer, cause);
  }
}
