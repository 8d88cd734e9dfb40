package io.whence.commit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The answer to a request, which holds once it is durable. Where the commits are kept elsewhere,
 * the results themselves are known only then. Thread safety: immutable.
 */
public final class CommitReply {
  private final CompletableFuture<List<CommitResult>> results;
  private final boolean replayed;
  private final CompletionStage<Void> durable;

  private CommitReply(
      CompletableFuture<List<CommitResult>> results,
      boolean replayed,
      CompletionStage<Void> durable) {
    this.results = results;
    this.replayed = replayed;
    this.durable = durable;
  }

  /**
   * Makes a reply whose results are foreseen.
   *
   * @param results one for each entry, in order
   * @param replayed whether this is the answer to an earlier request of the same id
   * @param durable completes when everything that the results tell of is on disk
   */
  public CommitReply(List<CommitResult> results, boolean replayed, CompletionStage<Void> durable) {
    this(CompletableFuture.completedFuture(List.copyOf(results)), replayed, durable);
  }

  /**
   * Makes a reply whose results are known when they hold.
   *
   * @param results one for each entry, in order
   * @param replayed whether this is the answer to an earlier request of the same id
   */
  public static CommitReply later(CompletionStage<List<CommitResult>> results, boolean replayed) {
    CompletableFuture<List<CommitResult>> known = results.toCompletableFuture();
    return new CommitReply(known, replayed, known.thenAccept(done -> {}));
  }

  /** Returns whether the results are known already; else only once they are durable. */
  public boolean isForeseen() {
    return results.isDone() && !results.isCompletedExceptionally();
  }

  /**
   * Returns the results, one for each entry, in order.
   *
   * @throws IllegalStateException if they are not known yet
   */
  public List<CommitResult> results() {
    if (!isForeseen()) {
      throw new IllegalStateException("the results are known once they are durable");
    }
    return results.join();
  }

  /** Returns whether this is the answer to an earlier request of the same id. */
  public boolean replayed() {
    return replayed;
  }

  /**
   * Completes when everything that the results tell of is on disk; until then nobody may be told.
   * Fails with a {@link io.whence.model.WhenceException} when the commits are not made. If the disk
   * failed and the process then dies before it could be written to again, or if a cluster did not
   * answer in time, they may be there all the same.
   */
  public CompletionStage<Void> durable() {
    return durable;
  }
}
