package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Context;
import io.whence.commit.Commits;
import io.whence.commit.LagReader;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.source.SourceCatalog;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GroupLag;
import io.whence.v1.GroupQuery;
import io.whence.v1.LagStatus;
import io.whence.v1.LagSum;
import io.whence.v1.PartitionLag;
import io.whence.v1.TopicPartitions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LagHandlerTest {
  private static final long NOW_MS = 1_000_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final LagHandler handler = new LagHandler(new LagReader(new LogResolver()));
  private final KnownGroups groups = new KnownGroups();
  @TempDir Path directory;
  private ProbedSource source;

  @BeforeEach
  void open() throws IOException {
    source = new ProbedSource(directory, NOW_MS);
    source.createTopic("orders", 3);
    source.createTopic("events", 1);
  }

  @AfterEach
  void close() throws IOException {
    source.close();
  }

  @Test
  void queryWithoutTopics_allPartitionsOfItsTopics_inOrder() {
    source.append("orders", 0, 100, 200, 300);
    source.append("events", 0, 100);
    groups.commit("g", "orders", 2, Commits.offset(0));
    groups.commit("g", "orders", 0, Commits.offset(1));
    groups.commit("g", "gone", 4, Commits.offset(7));
    groups.commit("g", "orders", 9, Commits.offset(7));

    GroupLag lag = ask(query("g"));

    assertThat(lag.getExists()).isTrue();
    assertThat(rows(lag))
        .containsExactly(
            "gone-4 UNKNOWN_TOPIC",
            "orders-0 BEHIND",
            "orders-1 NO_OFFSET",
            "orders-2 CAUGHT_UP",
            "orders-9 UNKNOWN_PARTITION");
    PartitionLag behind = lag.getPartitions(1);
    assertThat(behind.getCommittedOffset()).isEqualTo(1);
    assertThat(behind.getBounds().getEndOffset()).isEqualTo(3);
    assertThat(behind.getOffsetLag()).isEqualTo(2);
    assertThat(behind.getRecordLag()).isEqualTo(2);
    assertThat(behind.getNextUnread().getOffset()).isEqualTo(1);
    assertThat(behind.getStalenessMs()).isEqualTo(NOW_MS - 200);
    assertThat(behind.getSpanMs()).isEqualTo(100);
    assertThat(lag.getPartitions(2).hasOffsetLag()).isFalse();
    assertThat(lag.getSum())
        .isEqualTo(
            LagSum.newBuilder()
                .setPartitionCount(5)
                .setOffsetLag(2)
                .setRecordLag(2)
                .setMaxStalenessMs(NOW_MS - 200)
                .setMaxSpanMs(100)
                .setPartitionsWithoutOffset(1)
                .setPartitionsStale(2)
                .build());
  }

  @Test
  void queryWithTopics_partitions_inTheOrderAsked() {
    groups.commit("g", "orders", 1, Commits.offset(0));
    groups.commit("g", "gone", 2, Commits.offset(0));

    GroupLag lag =
        ask(query("g", topic("orders", 2, 1, 5), topic("gone"), topic("never"), topic("events")));

    assertThat(rows(lag))
        .containsExactly(
            "orders-2 NO_OFFSET",
            "orders-1 CAUGHT_UP",
            "orders-5 UNKNOWN_PARTITION",
            "gone-2 UNKNOWN_TOPIC",
            "never-0 UNKNOWN_TOPIC",
            "events-0 NO_OFFSET");
    assertThat(lag.getSum().getPartitionsWithoutOffset()).isEqualTo(4);
    assertThat(lag.getSum().getPartitionsStale()).isEqualTo(1);
  }

  @Test
  void partitionAskedTwice_sum_countsItOnce() {
    source.append("orders", 0, 100, 200);
    groups.commit("g", "orders", 0, Commits.offset(0));

    GroupLag lag = ask(query("g", topic("orders", 0, 0)));

    assertThat(lag.getPartitionsList()).hasSize(2);
    assertThat(lag.getPartitions(0)).isEqualTo(lag.getPartitions(1));
    assertThat(lag.getSum().getPartitionCount()).isEqualTo(1);
    assertThat(lag.getSum().getRecordLag()).isEqualTo(2);
  }

  @Test
  void groupWithoutOffsets_isThereNot() {
    assertThat(ask(query("nobody")))
        .isEqualTo(
            GroupLag.newBuilder().setGroup("nobody").setSum(LagSum.getDefaultInstance()).build());
    assertThat(rows(ask(query("nobody", topic("events"))))).containsExactly("events-0 NO_OFFSET");
  }

  @Test
  void trimmedTopic_lag_saysWhatIsLost() {
    source.append("orders", 0, 100, 200, 300);
    source.trim("orders", 0, 2);
    groups.commit("g", "orders", 0, Commits.offset(1));
    groups.commit("g", "orders", 1, Commits.offset(8));

    GroupLag lag = ask(query("g", topic("orders", 0, 1)));

    assertThat(rows(lag)).containsExactly("orders-0 BELOW_START", "orders-1 AHEAD_OF_END");
    assertThat(lag.getPartitions(0).getLostOffsets()).isEqualTo(1);
    assertThat(lag.getPartitions(1).getAheadBy()).isEqualTo(8);
    assertThat(lag.getSum().getPartitionsBelowStart()).isEqualTo(1);
    assertThat(lag.getSum().getPartitionsAheadOfEnd()).isEqualTo(1);
  }

  @Test
  void topicCreatedAgain_duringTheCall_isStale() {
    source.append("orders", 0, 100, 200, 300);
    TopicId old = source.topic("orders").topicId().orElseThrow();
    groups.commit("g", "orders", 0, Commits.offset(1, old));
    AtomicBoolean recreated = new AtomicBoolean();
    source.probe(
        partition -> {
          if (recreated.compareAndSet(false, true)) {
            source.deleteTopic("orders");
            source.createTopic("orders", 1);
            source.append("orders", 0, 1, 2, 3, 4, 5);
          }
        });

    assertThat(rows(ask(query("g", topic("orders", 0))))).containsExactly("orders-0 STALE_TOPIC");
    assertThat(recreated).isTrue();
  }

  @Test
  void partitionThatFails_othersAreTold() {
    source.append("orders", 2, 100);
    for (int partition = 0; partition < 3; partition++) {
      groups.commit("g", "orders", partition, Commits.offset(0));
    }
    source.probe(
        partition -> {
          if (partition.partition() == 0) {
            throw WhenceException.of(ErrorReason.DAMAGED_LOG, "can't be read");
          }
          if (partition.partition() == 1) {
            throw new IllegalStateException("a secret of the server");
          }
        });

    GroupLag lag = ask(query("g"));

    assertThat(rows(lag)).containsExactly("orders-0 FAILED", "orders-1 FAILED", "orders-2 BEHIND");
    assertThat(lag.getPartitions(0).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_DAMAGED_LOG);
    assertThat(lag.getPartitions(0).getCommittedOffset()).isZero();
    assertThat(lag.getPartitions(1).getError().getMessage()).doesNotContain("secret");
    assertThat(lag.getSum().getPartitionsFailed()).isEqualTo(2);
    assertThat(lag.getSum().getRecordLag()).isEqualTo(1);
  }

  @Test
  void groupsThatCantBeRead_othersAreTold() {
    source.append("orders", 0, 100);
    groups.commit("g", "orders", 0, Commits.offset(0));
    groups.probe(
        group -> {
          if (group.equals("damaged")) {
            throw WhenceException.of(ErrorReason.DAMAGED_LOG, "can't be read");
          }
          if (group.equals("broken")) {
            throw new IllegalStateException("a secret of the server");
          }
        });

    List<GroupLag> lags =
        handler
            .answer(
                request(query("damaged"), query("g"), query("broken", topic("orders"))), scope(100))
            .getResultsList();

    assertThat(lags).extracting(GroupLag::getGroup).containsExactly("damaged", "g", "broken");
    assertThat(lags.get(0).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_DAMAGED_LOG);
    assertThat(lags.get(0).hasSum()).isFalse();
    assertThat(rows(lags.get(1)))
        .containsExactly("orders-0 BEHIND", "orders-1 NO_OFFSET", "orders-2 NO_OFFSET");
    assertThat(lags.get(1).hasError()).isFalse();
    assertThat(lags.get(2).getError().getReason())
        .isEqualTo(io.whence.v1.ErrorReason.ERROR_REASON_INTERNAL);
    assertThat(lags.get(2).getError().getMessage()).doesNotContain("secret");
    assertThat(lags.get(2).getPartitionsList()).isEmpty();
  }

  @Test
  void severalGroups_areReadBeforeTheFirstLog() {
    groups.commit("a", "orders", 0, Commits.offset(0));
    groups.commit("b", "orders", 0, Commits.offset(0));
    Queue<String> reads = new ConcurrentLinkedQueue<>();
    groups.probe(reads::add);
    source.probe(partition -> reads.add(partition.toString()));

    handler.answer(
        request(query("a", topic("orders", 0)), query("b", topic("orders", 0, 1))), scope(100));

    assertThat(reads).containsExactly("a", "b", "orders-0", "orders-1");
  }

  // Report 112.
  @Test
  void commitsUnderLoad_noLagIsNegativeOrAheadOfTheEnd() {
    AtomicBoolean stop = new AtomicBoolean();
    groups.commit("g", "orders", 0, Commits.offset(0));
    CompletableFuture<Long> writer =
        CompletableFuture.supplyAsync(
            () -> {
              long end = 0;
              while (!stop.get()) {
                OffsetRange range = source.append("orders", 0, 100);
                groups.commit("g", "orders", 0, Commits.offset(range.endOffset()));
                end = range.endOffset();
              }
              return end;
            });

    for (int i = 0; i < 10_000; i++) {
      PartitionLag lag = ask(query("g", topic("orders", 0))).getPartitions(0);
      assertThat(lag.getStatus()).isIn(LagStatus.LAG_STATUS_CAUGHT_UP, LagStatus.LAG_STATUS_BEHIND);
      assertThat(lag.getOffsetLag()).isNotNegative();
      assertThat(lag.getRecordLag()).isEqualTo(lag.getOffsetLag());
    }
    stop.set(true);
    assertThat(writer.join()).isPositive();
  }

  @Test
  void callGivenUp_stopsBetweenPartitions() {
    groups.commit("g", "orders", 0, Commits.offset(0));
    Context.CancellableContext call = Context.current().withCancellation();
    Queue<TopicPartition> looked = new ConcurrentLinkedQueue<>();
    source.probe(
        partition -> {
          looked.add(partition);
          call.cancel(null);
        });

    WhenceException failure =
        catchThrowableOfType(
            WhenceException.class,
            () -> call.run(() -> handler.answer(request(query("g")), scope(100))));

    assertThat(failure.reason()).isEqualTo(ErrorReason.DEADLINE_EXCEEDED);
    assertThat(looked).containsExactly(new TopicPartition("orders", 0));
  }

  @Test
  void tooManyPartitions_areRefusedBeforeAnyLogIsRead() {
    groups.commit("g", "orders", 0, Commits.offset(0));
    Queue<TopicPartition> looked = new ConcurrentLinkedQueue<>();
    source.probe(looked::add);

    assertThat(ask(query("g"), scope(3)).getPartitionsList()).hasSize(3);
    looked.clear();
    WhenceException failure =
        catchThrowableOfType(
            WhenceException.class,
            () -> handler.answer(request(query("g"), query("g", topic("events"))), scope(3)));

    assertThat(failure.reason()).isEqualTo(ErrorReason.LIMIT_EXCEEDED);
    assertThat(failure.metadata()).containsEntry("field", "queries[1].topics[0]");
    assertThat(looked).isEmpty();
  }

  static Stream<Arguments> badRequests() {
    return Stream.of(
        Arguments.of(request(), "queries"),
        Arguments.of(request(query("g"), query("")), "queries[1].group"),
        Arguments.of(request(query("g", topic("orders"), topic(""))), "queries[0].topics[1].topic"),
        Arguments.of(
            request(query("g", topic("orders", 0, -1))), "queries[0].topics[0].partitions[1]"),
        Arguments.of(
            request(query("g")).toBuilder().setIsolationLevelValue(7).build(), "isolation_level"));
  }

  @ParameterizedTest
  @MethodSource("badRequests")
  void badRequest_failure_namesTheField(GetGroupLagRequest request, String field) {
    WhenceException failure =
        catchThrowableOfType(WhenceException.class, () -> handler.answer(request, scope(100)));

    assertThat(failure.reason()).isEqualTo(ErrorReason.INVALID_ARGUMENT);
    assertThat(failure.metadata()).containsEntry("field", field);
  }

  private GroupLag ask(GroupQuery query) {
    return ask(query, scope(100));
  }

  private GroupLag ask(GroupQuery query, CallScope scope) {
    return handler.answer(request(query), scope).getResults(0);
  }

  private CallScope scope(int partitionLimit) {
    return new CallScope(
        "GetGroupLag",
        NOW_MS,
        Caller.ofCurrentCall(),
        new OpenSources(new SourceCatalog(List.of(source)), Map.of(source.name(), groups)),
        CallCancellation.ofCurrentCall(PATIENCE),
        new CallLimits(partitionLimit, 1, 1, 1, 1, PATIENCE),
        CallListener.NOOP);
  }

  private static GetGroupLagRequest request(GroupQuery... queries) {
    return GetGroupLagRequest.newBuilder().addAllQueries(List.of(queries)).build();
  }

  private static GroupQuery query(String group, TopicPartitions... topics) {
    return GroupQuery.newBuilder().setGroup(group).addAllTopics(List.of(topics)).build();
  }

  private static TopicPartitions topic(String topic, Integer... partitions) {
    return TopicPartitions.newBuilder()
        .setTopic(topic)
        .addAllPartitions(List.of(partitions))
        .build();
  }

  private static List<String> rows(GroupLag lag) {
    return lag.getPartitionsList().stream()
        .map(
            row ->
                row.getTopic()
                    + "-"
                    + row.getPartition()
                    + " "
                    + row.getStatus().name().substring("LAG_STATUS_".length()))
        .toList();
  }
}
