package io.whence.grpc;

import io.whence.log.AppendBatch;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.source.WritableLogSource;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.AppendResult;
import io.whence.v1.PartitionError;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Appends batches: all entries at once, results in the order of the request. */
final class AppendCalls {
  private AppendCalls() {}

  static CompletionStage<AppendResponse> append(AppendRequest request, CallScope scope) {
    List<AppendBatch> batches = AppendBatches.of(request, scope.limits());
    WritableLogSource source = scope.writable(request.getSource());
    scope.listener().onPartitions(scope.rpc(), batches.size());
    List<CompletableFuture<AppendResult>> results = new ArrayList<>(batches.size());
    for (int i = 0; i < batches.size(); i++) {
      scope.cancellation().check();
      results.add(entry(request.getEntries(i), batches.get(i), source, scope));
    }
    return CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> response(results));
  }

  private static AppendResponse response(List<CompletableFuture<AppendResult>> results) {
    AppendResponse.Builder response = AppendResponse.newBuilder();
    results.forEach(result -> response.addResults(result.join()));
    return response.build();
  }

  private static CompletableFuture<AppendResult> entry(
      AppendEntry entry, AppendBatch batch, WritableLogSource source, CallScope scope) {
    return stage(entry, batch, source)
        .handle(
            (range, failure) ->
                failure == null
                    ? result(entry).setRange(Protos.range(range)).build()
                    : result(entry).setError(error(entry, scope, failure)).build())
        .thenApply(result -> counted(result, scope))
        .toCompletableFuture();
  }

  /** Tells the metrics what became of an entry: its failure is none of the call. */
  private static AppendResult counted(AppendResult result, CallScope scope) {
    String reason =
        result.hasError()
            ? result.getError().getReason().name().replace("ERROR_REASON_", "")
            : "APPENDED";
    scope.listener().onAppends(reason.toLowerCase(Locale.ROOT), 1);
    return result;
  }

  private static CompletionStage<OffsetRange> stage(
      AppendEntry entry, AppendBatch batch, WritableLogSource source) {
    try {
      return source.append(new TopicPartition(entry.getTopic(), entry.getPartition()), batch);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static PartitionError error(AppendEntry entry, CallScope scope, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return PartitionGuard.error(scope, entry.getTopic(), entry.getPartition(), cause);
  }

  private static AppendResult.Builder result(AppendEntry entry) {
    return AppendResult.newBuilder().setTopic(entry.getTopic()).setPartition(entry.getPartition());
  }
}
