package io.whence.grpc;

import io.whence.commit.ChangeCause;
import io.whence.commit.CommitReply;
import io.whence.commit.CommitRequest;
import io.whence.commit.Group;
import io.whence.commit.GroupOffsets;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jboss.logging.Logger;

/**
 * Commits offsets: one request for each group. A group that is refused, at once or by the disk,
 * leaves the others alone; where all are, nothing was done, and the call as a whole fails. Thread
 * safety: immutable; one for each call.
 */
final class CommitCalls {
  /** Refusals that no look at what the group has explains; it would only wait. */
  private static final Set<ErrorReason> UNSEEN =
      EnumSet.of(
          ErrorReason.LEADER_UNAVAILABLE,
          ErrorReason.OVERLOADED,
          ErrorReason.DEADLINE_EXCEEDED,
          ErrorReason.DRAINING);

  private static final Logger LOG = Logger.getLogger(CommitCalls.class);

  private final CommitOffsetRequest request;
  private final CallScope scope;
  private final GroupOffsets groups;
  private final CommitBatches batches;
  private final CommitAnswers answers;
  private final String writer;

  private CommitCalls(CommitOffsetRequest request, CallScope scope, CommitBatches batches) {
    LogSource source = scope.source(request.getSource());
    this.request = request;
    this.scope = scope;
    this.batches = batches;
    groups = scope.groupOffsets(source);
    answers = new CommitAnswers(request, scope, source.name(), batches);
    writer = request.getWriter().isEmpty() ? scope.caller().name() : request.getWriter();
  }

  static CompletionStage<CommitOffsetResponse> commit(
      CommitOffsetRequest request, CallScope scope) {
    CommitBatches batches = CommitBatches.of(request, scope.limits());
    CommitCalls call = new CommitCalls(request, scope, batches);
    scope.listener().onPartitions(scope.rpc(), request.getEntriesCount());
    return call.answer();
  }

  private CompletionStage<CommitOffsetResponse> answer() {
    List<GroupAnswer> hoped = new ArrayList<>(batches.all().size());
    List<CompletableFuture<GroupAnswer>> durable = new ArrayList<>(batches.all().size());
    boolean foreseen = true;
    for (CommitBatches.Batch batch : batches.all()) {
      scope.cancellation().check();
      try {
        CommitReply reply = groups.commit(request(batch), scope.cancellation());
        if (reply.isForeseen()) {
          hoped.add(GroupAnswer.of(reply));
        } else {
          foreseen = false;
        }
        durable.add(durable(batch, reply));
      } catch (RuntimeException e) {
        GroupAnswer refused = refused(batch, e);
        hoped.add(refused);
        durable.add(CompletableFuture.completedFuture(refused));
      }
    }
    if (!foreseen) {
      return allOf(durable).thenApply(done -> told(durable));
    }
    failIfAllRefused(hoped);
    // Made while the disk works: mostly it is what holds once the disk has answered.
    CommitOffsetResponse response = answers.response(hoped);
    return allOf(durable).thenApply(done -> held(response, hoped, durable));
  }

  private static CompletableFuture<Void> allOf(List<CompletableFuture<GroupAnswer>> durable) {
    return CompletableFuture.allOf(durable.toArray(CompletableFuture<?>[]::new));
  }

  /** Answers where nothing could be foreseen. */
  private CommitOffsetResponse told(List<CompletableFuture<GroupAnswer>> durable) {
    List<GroupAnswer> real = durable.stream().map(CompletableFuture::join).toList();
    failIfAllRefused(real);
    answers.count(real);
    return answers.response(real);
  }

  private CommitOffsetResponse held(
      CommitOffsetResponse response,
      List<GroupAnswer> hoped,
      List<CompletableFuture<GroupAnswer>> durable) {
    List<GroupAnswer> real = new ArrayList<>(durable.size());
    boolean same = true;
    for (int i = 0; i < durable.size(); i++) {
      GroupAnswer answer = durable.get(i).join();
      same &= answer.isRefused() == hoped.get(i).isRefused();
      real.add(answer);
    }
    failIfAllRefused(real);
    answers.count(real);
    return same ? response : answers.response(real);
  }

  private CommitRequest request(CommitBatches.Batch batch) {
    return new CommitRequest(
        batch.group(),
        batch.entries(),
        request.getRequestId(),
        request.getAtomic(),
        request.getDryRun(),
        writer,
        ChangeCause.COMMIT);
  }

  private CompletableFuture<GroupAnswer> durable(CommitBatches.Batch batch, CommitReply reply) {
    return reply
        .durable()
        .handle(
            (done, failure) -> failure == null ? GroupAnswer.of(reply) : refused(batch, failure))
        .toCompletableFuture();
  }

  private GroupAnswer refused(CommitBatches.Batch batch, Throwable failure) {
    WhenceException refusal = known(batch, failure);
    Optional<Group> now = UNSEEN.contains(refusal.reason()) ? Optional.empty() : now(batch.group());
    return GroupAnswer.refused(batch.entries(), now, refusal);
  }

  /**
   * Returns what a refused group has committed. What refuses a commit may keep it from being read,
   * too; the refusal says so already, and the other groups have their results all the same.
   */
  private Optional<Group> now(String group) {
    try {
      return groups.group(group);
    } catch (RuntimeException e) {
      LOG.debugf(e, "group that refused a commit can't be read: group=%s", group);
      return Optional.empty();
    }
  }

  private WhenceException known(CommitBatches.Batch batch, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof WhenceException known) {
      return known;
    }
    scope.listener().onFault(scope.rpc());
    LOG.errorf(cause, "commit failed: rpc=%s group=%s", scope.rpc(), batch.group());
    return GrpcErrors.internal();
  }

  /** Fails the call as a whole, so that a client that retries by the status does so. */
  private void failIfAllRefused(List<GroupAnswer> groups) {
    WhenceException first = groups.get(0).refusal();
    if (first != null && groups.stream().allMatch(GroupAnswer::isRefused)) {
      answers.count(groups);
      throw first;
    }
  }
}
