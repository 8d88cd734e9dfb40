package io.whence.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.StreamObserver;
import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import io.whence.v1.AppendEntry;
import io.whence.v1.AppendRequest;
import io.whence.v1.CreateTopicRequest;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A cluster that accepts and never answers: calls that wait for it keep no other source waiting.
 */
class HangingClusterProcessIT {
  private static final int CALLERS = 24;
  private static final int QUESTIONS = 30;
  private static final long T = 1_700_000_000_000L;

  private final Path directory = Directories.temporary("whence-hanging");

  @AfterEach
  void delete() {
    Directories.delete(directory);
  }

  @Test
  void callsThatWaitForIt_keepNoOtherSourceWaiting() throws Exception {
    try (KafkaBroker broker = KafkaBroker.start(Map.of());
        Admin admin = broker.admin()) {
      KafkaTopics.create(admin, "orders", 1);
      try (ServerProcess server =
              ServerProcess.start(
                  directory, "whence.kafka.prod.bootstrap=" + broker.bootstrapServers());
          Client client = server.client()) {
        fillOwnTopic(client);
        broker.pause();
        List<Client> callers = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(CALLERS);
        for (int i = 0; i < CALLERS; i++) {
          Client caller = server.client();
          callers.add(caller);
          askCluster(caller, ended);
        }

        int before = 0;
        for (int i = 0; i < QUESTIONS; i++) {
          ResolveWindowResponse answer = client.resolver.resolveWindow(window());
          assertThat(answer.getResults(0).getAnswers(0).getRecordCount()).isEqualTo(2);
          before += ended.getCount() == CALLERS ? 1 : 0;
        }

        assertThat(before).as("answered before any of the others").isEqualTo(QUESTIONS);
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        broker.resume();
        for (Client caller : callers) {
          caller.close();
        }
      }
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

  private static void askCluster(Client client, CountDownLatch ended) {
    GroupOffsetsServiceGrpc.newStub(client.channel)
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .fetchOffset(
            FetchOffsetRequest.newBuilder()
                .setSource("prod")
                .addQueries(GroupQuery.newBuilder().setGroup("billing"))
                .build(),
            new StreamObserver<>() {
              @Override
              public void onNext(FetchOffsetResponse answer) {}

              @Override
              public void onError(Throwable failure) {
                ended.countDown();
              }

              @Override
              public void onCompleted() {
                ended.countDown();
              }
            });
  }
}
