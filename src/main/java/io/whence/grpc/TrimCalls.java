package io.whence.grpc;

import io.whence.model.TopicPartition;
import io.whence.source.WritableLogSource;
import io.whence.v1.TrimEntry;
import io.whence.v1.TrimLogRequest;
import io.whence.v1.TrimLogResponse;
import io.whence.v1.TrimResult;

/** Raises log starts. */
final class TrimCalls {
  private TrimCalls() {}

  static TrimLogResponse trim(TrimLogRequest request, CallScope scope) {
    check(request, scope.limits());
    WritableLogSource source = scope.writable(request.getSource());
    scope.listener().onPartitions(scope.rpc(), request.getEntriesCount());
    TrimLogResponse.Builder response = TrimLogResponse.newBuilder();
    for (TrimEntry entry : request.getEntriesList()) {
      scope.cancellation().check();
      response.addResults(result(entry, source, scope));
    }
    return response.build();
  }

  private static void check(TrimLogRequest request, CallLimits limits) {
    QueryChecks.requireSome(request.getEntriesList(), "entries");
    PartitionBudget entries = new PartitionBudget(limits.partitions(), "entries");
    for (int i = 0; i < request.getEntriesCount(); i++) {
      TrimEntry entry = request.getEntries(i);
      FieldPath field = FieldPath.of("entries", i);
      entries.take(1, field);
      QueryChecks.requireTopic(entry.getTopic(), field);
      QueryChecks.requirePartition(entry.getPartition(), field.child("partition"));
      if (!entry.hasBeforeOffset()) {
        throw BadRequests.missing(field.child("before_offset"), "give the new log start offset");
      }
      QueryChecks.requireOffset(entry.getBeforeOffset(), field.child("before_offset"));
    }
  }

  private static TrimResult result(TrimEntry entry, WritableLogSource source, CallScope scope) {
    return PartitionGuard.answer(
        scope,
        entry.getTopic(),
        entry.getPartition(),
        () ->
            start(entry)
                .setLogStartOffset(
                    source.trim(
                        new TopicPartition(entry.getTopic(), entry.getPartition()),
                        entry.getBeforeOffset()))
                .build(),
        error -> start(entry).setError(error).build());
  }

  private static TrimResult.Builder start(TrimEntry entry) {
    return TrimResult.newBuilder().setTopic(entry.getTopic()).setPartition(entry.getPartition());
  }
}
