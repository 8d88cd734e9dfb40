package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.stub.StreamObserver;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.CreateTopicRequest;
import io.whence.v1.ErrorReason;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.GroupQuery;
import io.whence.v1.RecordData;
import io.whence.v1.ResolveWindowRequest;
import io.whence.v1.ResolveWindowResponse;
import io.whence.v1.TimePoint;
import io.whence.v1.WindowQuery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A cluster that accepts and never answers: calls that wait for it keep no other source waiting.
 */
class HangingClusterProcessIT {
  private static final int CALLERS = 24;

  /** More than may wait at once. */
  private static final int MANY_CALLS = 300;

  private static final int MAX_WAITS = 256;
  private static final int QUESTIONS = 30;
  private static final long T = 1_700_000_000_000L;

  /** For how long calls wait: long enough for a slow machine to ask something else meanwhile. */
  private static final String WAIT = "whence.kafka.prod.request-timeout=20s";

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Path directory = Directories.temporary("whence-hanging");
  private final List<Client> callers = new ArrayList<>();

  @AfterEach
  void delete() throws InterruptedException {
    for (Client caller : callers) {
      caller.close();
    }
    Directories.delete(directory);
  }

  @Test
  void callsThatWaitForIt_keepNoOtherSourceWaiting() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(Map.of());
        Admin admin = broker.admin()) {
      KafkaTopics.create(admin, "orders", 1);
      try (ServerProcess server =
              ServerProcess.start(
                  directory, "whence.kafka.prod.bootstrap=" + broker.bootstrapServers(), WAIT);
          Client client = server.client()) {
        fillOwnTopic(client);
        for (int i = 0; i < CALLERS; i++) {
          callers.add(server.client());
        }
        broker.pause();

        Calls few = askCluster(CALLERS);
        await().atMost(LIMIT).until(() -> callsInWork(server) == CALLERS);
        askOwnTopic(client);
        assertThat(few.ended).as("ended before the others were answered").hasValue(0);
        await().atMost(LIMIT).until(() -> few.ended.get() == CALLERS);

        Calls many = askCluster(MANY_CALLS);
        await().atMost(LIMIT).until(() -> many.ended.get() >= MANY_CALLS - MAX_WAITS);
        askOwnTopic(client);
        assertThat(many.refused).hasValueGreaterThanOrEqualTo(MANY_CALLS - MAX_WAITS);
        assertThat(many.ended).as("ended, and not refused").hasValue(many.refused.get());
        await().atMost(LIMIT).until(() -> many.ended.get() == MANY_CALLS);
        broker.resume();
      }
    }
  }

  /** Not those that ask for metrics: these are no calls of gRPC. */
  private static double callsInWork(ServerProcess server) {
    return server.metric("whence_calls_in_flight\\{lane=\"lookups\"}");
  }

  private static void askOwnTopic(Client client) {
    for (int i = 0; i < QUESTIONS; i++) {
      ResolveWindowResponse answer = client.resolver.resolveWindow(window());
      assertThat(answer.getResults(0).getAnswers(0).getRecordCount()).isEqualTo(2);
    }
  }

  private static void fillOwnTopic(Client client) {
    client.log.createTopic(
        CreateTopicRequest.newBuilder()
            .setSource("embedded")
            .setTopic("own")
            .setPartitionCount(1)
            .build());
    AppendEntry.Builder entry = AppendEntry.newBuilder().setTopic("own");
    for (long ms = T - 1; ms <= T + 1; ms++) {
      entry.addRecords(RecordData.newBuilder().setTimestampMs(ms));
    }
    client.log.append(AppendRequest.newBuilder().setSource("embedded").addEntries(entry).build());
  }

  private static ResolveWindowRequest window() {
    return ResolveWindowRequest.newBuilder()
        .setSource("embedded")
        .addQueries(
            WindowQuery.newBuilder()
                .setTopic("own")
                .addPartitions(0)
                .setFrom(TimePoint.newBuilder().setEpochMs(T))
                .setTo(TimePoint.newBuilder().setEpochMs(T + 10)))
        .build();
  }

  /** Calls about the cluster. */
  private static final class Calls implements StreamObserver<FetchOffsetResponse> {
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    @Override
    public void onNext(FetchOffsetResponse answer) {
      if (answer.getResults(0).getError().getReason() == ErrorReason.ERROR_REASON_OVERLOADED) {
        refused.incrementAndGet();
      }
    }

    @Override
    public void onError(Throwable failure) {
      ended.incrementAndGet();
    }

    @Override
    public void onCompleted() {
      ended.incrementAndGet();
    }
  }

  private Calls askCluster(int count) {
    Calls calls = new Calls();
    for (int i = 0; i < count; i++) {
      GroupOffsetsServiceGrpc.newStub(callers.get(i % CALLERS).channel)
          .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS)
          .fetchOffset(
              FetchOffsetRequest.newBuilder()
                  .setSource("prod")
                  .addQueries(GroupQuery.newBuilder().setGroup("billing"))
                  .build(),
              calls);
    }
    return calls;
  }
}
