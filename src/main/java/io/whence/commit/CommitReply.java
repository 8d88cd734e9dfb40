package io.whence.commit;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The answer to a request, which holds once it is durable. Thread safety: immutable.
 *
 * @param results one for each entry, in order
 * @param replayed whether this is the answer to an earlier request of the same id
 * @param durable completes when everything that the results tell of is on disk; until then nobody
 *     may be told. Fails with a {@link io.whence.model.WhenceException} when the commits are not
 *     made; if the disk failed and the process then dies before it could be written to again, they
 *     may be there after the start, all of them.
 */
public record CommitReply(
    List<CommitResult> results, boolean replayed, CompletionStage<Void> durable) {
  /** Copies the results. */
  public CommitReply {
    results = List.copyOf(results);
  }
}
