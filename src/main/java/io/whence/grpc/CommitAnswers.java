package io.whence.grpc;

import io.whence.commit.CommitEntry;
import io.whence.commit.CommitResult;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.CommitOutcome;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;

/** Puts the results of groups back into the order of the request. Thread safety: immutable. */
final class CommitAnswers {
  private final CommitOffsetRequest request;
  private final CallScope scope;
  private final String source;
  private final CommitBatches batches;

  CommitAnswers(
      CommitOffsetRequest request, CallScope scope, String source, CommitBatches batches) {
    this.request = request;
    this.scope = scope;
    this.source = source;
    this.batches = batches;
  }

  /**
   * Returns the answer to the call.
   *
   * @param groups one for each batch, in order
   */
  CommitOffsetResponse response(List<GroupAnswer> groups) {
    CommitOffsetResponse.Builder response =
        CommitOffsetResponse.newBuilder()
            .setSource(source)
            .setServerTimeMs(scope.serverTimeMs())
            .setReplayed(groups.stream().anyMatch(GroupAnswer::replayed));
    int[] next = new int[groups.size()];
    for (int i = 0; i < request.getEntriesCount(); i++) {
      int number = batches.batchOf(i);
      CommitBatches.Batch batch = batches.all().get(number);
      int at = next[number]++;
      response.addResults(
          result(batch.group(), batch.entries().get(at), groups.get(number).results().get(at)));
    }
    return response.build();
  }

  /** Tells the metrics what became of the commits; those of a dry run were never made. */
  void count(List<GroupAnswer> groups) {
    if (request.getDryRun()) {
      return;
    }
    EnumMap<io.whence.commit.CommitOutcome, Integer> outcomes =
        new EnumMap<>(io.whence.commit.CommitOutcome.class);
    EnumMap<ErrorReason, Integer> failures = new EnumMap<>(ErrorReason.class);
    int replayed = 0;
    for (GroupAnswer group : groups) {
      if (group.replayed()) {
        replayed += group.results().size();
        continue;
      }
      for (CommitResult result : group.results()) {
        WhenceException error = result.error();
        if (error == null) {
          outcomes.merge(result.outcome(), 1, Integer::sum);
        } else {
          failures.merge(error.reason(), 1, Integer::sum);
        }
      }
    }
    outcomes.forEach(this::report);
    failures.forEach(this::report);
    if (replayed > 0) {
      scope.listener().onCommits("replayed", replayed);
    }
  }

  private void report(Enum<?> result, int count) {
    scope.listener().onCommits(result.name().toLowerCase(Locale.ROOT), count);
  }

  private static io.whence.v1.CommitResult result(
      String group, CommitEntry entry, CommitResult result) {
    io.whence.v1.CommitResult.Builder answer =
        io.whence.v1.CommitResult.newBuilder()
            .setGroup(group)
            .setTopic(entry.partition().topic())
            .setPartition(entry.partition().partition())
            .setOutcome(outcome(result.outcome()));
    if (result.before() >= 0) {
      answer.setOffsetBefore(result.before());
    }
    if (result.now() >= 0) {
      answer.setOffsetNow(result.now());
    }
    WhenceException error = result.error();
    if (error != null) {
      answer.setError(GrpcErrors.partitionError(error));
    }
    return answer.build();
  }

  private static CommitOutcome outcome(io.whence.commit.CommitOutcome outcome) {
    return switch (outcome) {
      case COMMITTED -> CommitOutcome.COMMIT_OUTCOME_COMMITTED;
      case UNCHANGED -> CommitOutcome.COMMIT_OUTCOME_UNCHANGED;
      case NOT_APPLIED -> CommitOutcome.COMMIT_OUTCOME_NOT_APPLIED;
      case FAILED -> CommitOutcome.COMMIT_OUTCOME_FAILED;
    };
  }
}
