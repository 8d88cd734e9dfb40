package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.SourceCatalog;
import io.whence.source.WritableLogSource;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.AppendResponse;
import io.whence.v1.AppendResult;
import io.whence.v1.RecordData;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Each entry has a result of its own, which metrics are told of: the call is OK all the same. */
class AppendCallsTest {
  private static final WhenceException FULL =
      WhenceException.of(ErrorReason.STORAGE_FULL, "the disk is full", "path", "/d");

  private final Map<String, Integer> counted = new HashMap<>();

  @Test
  void entriesThatAreRefused_areCountedByReason_besideThoseThatAreNot() {
    CompletableFuture<OffsetRange> disk = new CompletableFuture<>();
    CompletableFuture<AppendResponse> answer =
        append(
            partition ->
                switch (partition.partition()) {
                  case 0 -> CompletableFuture.completedFuture(new OffsetRange(5, 6));
                  case 1 -> throw WhenceException.of(ErrorReason.UNKNOWN_PARTITION, "none");
                  default -> disk;
                });
    assertThat(answer).isNotDone();
    assertThat(counted).isEqualTo(Map.of("appended", 1, "unknown_partition", 1));

    disk.completeExceptionally(FULL);

    assertThat(answer.join().getResultsList())
        .extracting(AppendResult::hasError)
        .containsExactly(false, true, true, true);
    assertThat(answer.join().getResults(3).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_STORAGE_FULL);
    assertThat(counted).isEqualTo(Map.of("appended", 1, "unknown_partition", 1, "storage_full", 2));
  }

  @Test
  void faultOfTheServer_isCountedAsInternal() {
    append(
            partition -> {
              throw new IllegalStateException("a secret");
            })
        .join();

    assertThat(counted).isEqualTo(Map.of("internal", 4));
  }

  /** Appends a record to each of four partitions. */
  private CompletableFuture<AppendResponse> append(
      Function<TopicPartition, CompletionStage<OffsetRange>> disk) {
    AppendRequest.Builder request = AppendRequest.newBuilder();
    for (int i = 0; i < 4; i++) {
      request.addEntries(
          AppendEntry.newBuilder()
              .setTopic("t")
              .setPartition(i)
              .addRecords(RecordData.newBuilder().setTimestampMs(1)));
    }
    return AppendCalls.append(request.build(), scope(disk)).toCompletableFuture();
  }

  private CallScope scope(Function<TopicPartition, CompletionStage<OffsetRange>> disk) {
    CallListener counting =
        new CallListener() {
          @Override
          public void onAppends(String result, int count) {
            counted.merge(result, count, Integer::sum);
          }
        };
    CallLimits limits = new CallLimits(100, 100, 100, 1, 1, Duration.ofSeconds(10));
    return new CallScope(
        "Append",
        1,
        Caller.ofCurrentCall(),
        new OpenSources(new SourceCatalog(List.of(source(disk))), Map.of()),
        CallCancellation.ofCurrentCall(limits.defaultDeadline()),
        limits,
        counting);
  }

  private static WritableLogSource source(
      Function<TopicPartition, CompletionStage<OffsetRange>> disk) {
    return (WritableLogSource)
        Proxy.newProxyInstance(
            AppendCallsTest.class.getClassLoader(),
            new Class<?>[] {WritableLogSource.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "name" -> "only";
                  case "isReady" -> true;
                  case "append" -> disk.apply((TopicPartition) args[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
