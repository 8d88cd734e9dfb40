package io.whence.server;

import static io.whence.server.GroupClient.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.testkit.Directories;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaCoordinators;
import io.whence.testkit.KafkaTopics;
import io.whence.v1.CommitEntry;
import io.whence.v1.CommitOutcome;
import io.whence.v1.CommitResult;
import io.whence.v1.ErrorReason;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GroupQuery;
import io.whence.v1.IsolationLevel;
import io.whence.v1.LagStatus;
import io.whence.v1.OffsetResult;
import io.whence.v1.Origin;
import io.whence.v1.PartitionLag;
import io.whence.v1.Position;
import io.whence.v1.ResolveTimestampRequest;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.TimestampQuery;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What went wrong with commits and lags elsewhere, asked of a server in front of a real cluster;
 * each test names the report.
 */
class KafkaReportsProcessIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int UNDER_LOAD = 300;
  private static final IsolationLevel COMMITTED = IsolationLevel.ISOLATION_LEVEL_READ_COMMITTED;
  private static final IsolationLevel ALL = IsolationLevel.ISOLATION_LEVEL_READ_UNCOMMITTED;
  private static final Path DATA = Directories.temporary("whence-reports");

  private static KafkaBroker broker;
  private static Admin admin;
  private static ServerProcess server;
  private static Client client;

  @BeforeAll
  static void start() {
    broker = KafkaBroker.start(Map.of());
    admin = broker.admin();
    KafkaCoordinators.await(admin);
    server =
        ServerProcess.start(
            DATA.resolve("own"),
            "whence.embedded.enabled=false",
            "whence.kafka.prod.bootstrap=" + broker.bootstrapServers(),
            "whence.kafka.prod.request-timeout=30s",
            "whence.kafka.prod.refresh=200ms");
    client = server.client();
  }

  @AfterAll
  static void stop() throws Exception {
    client.close();
    server.close();
    admin.close();
    broker.close();
    Directories.delete(DATA);
  }

  /** Makes a topic of one partition and waits until it is followed. */
  private static void create(String topic) throws ExecutionException, InterruptedException {
    KafkaTopics.create(admin, topic, 1);
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(
            () -> latest(topic),
            answer -> answer.hasOffset() && answer.getOrigin() != Origin.ORIGIN_BROKER);
  }

  private static TimestampAnswer latest(String topic) {
    return client
        .resolver
        .resolveTimestamp(
            ResolveTimestampRequest.newBuilder()
                .addQueries(
                    TimestampQuery.newBuilder()
                        .setTopic(topic)
                        .setPosition(
                            Position.newBuilder()
                                .setLatest(Position.getDefaultInstance().getLatest())))
                .build())
        .getResults(0)
        .getAnswers(0);
  }

  private static KafkaProducer<String, String> producer(Map<String, Object> more) {
    Map<String, Object> config = new HashMap<>(more);
    config.put("bootstrap.servers", broker.bootstrapServers());
    return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
  }

  private static void send(KafkaProducer<String, String> producer, String topic, int count) {
    for (int i = 0; i < count; i++) {
      producer.send(new ProducerRecord<>(topic, "record"));
    }
    producer.flush();
  }

  private static PartitionLag lag(String group, IsolationLevel isolation) {
    return client
        .groups
        .getGroupLag(
            GetGroupLagRequest.newBuilder()
                .addQueries(GroupQuery.newBuilder().setGroup(group))
                .setIsolationLevel(isolation)
                .build())
        .getResults(0)
        .getPartitions(0);
  }

  private static CommitResult commit(String group, CommitEntry.Builder entry) {
    return new GroupClient(client, group).commit(entry);
  }

  /** Report 115: the last offset is that of a marker, which nobody can read. */
  @Test
  void onlyMarkerIsLeft_lagIsCaughtUp() throws Exception {
    create("markers");
    try (KafkaProducer<String, String> producer = producer(Map.of("transactional.id", "markers"))) {
      producer.initTransactions();
      producer.beginTransaction();
      send(producer, "markers", 10);
      producer.commitTransaction();
    }
    commit("markers", entry("markers", 0, 10));
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(lag("markers", COMMITTED).getBounds().getEndOffset()).isEqualTo(11));
    for (IsolationLevel isolation : List.of(COMMITTED, ALL)) {
      PartitionLag lag = lag("markers", isolation);
      assertThat(lag.getStatus()).isEqualTo(LagStatus.LAG_STATUS_CAUGHT_UP);
      assertThat(lag.getRecordLag()).isZero();
      assertThat(lag.getOffsetLag()).isOne();
    }
  }

  /** Report 116: what is behind the last stable offset is no lag of who reads committed records. */
  @Test
  void openTransaction_isLagOfUncommittedReadersOnly() throws Exception {
    create("open");
    try (KafkaProducer<String, String> plain = producer(Map.of());
        KafkaProducer<String, String> open = producer(Map.of("transactional.id", "open"))) {
      send(plain, "open", 20);
      open.initTransactions();
      open.beginTransaction();
      send(open, "open", 63);
      commit("open", entry("open", 0, 20));

      assertThat(lag("open", COMMITTED).getStatus()).isEqualTo(LagStatus.LAG_STATUS_CAUGHT_UP);
      assertThat(lag("open", COMMITTED).getOffsetLag()).isZero();
      assertThat(lag("open", ALL).getRecordLag()).isEqualTo(63);
      open.abortTransaction();
    }
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(lag("open", COMMITTED).getBounds().getEndOffset()).isEqualTo(84));
    assertThat(lag("open", COMMITTED).getRecordLag()).as("all of it was aborted").isZero();
  }

  /** Reports 67 and 91: the end of an empty partition is the offset 0, and 0 is a commit. */
  @Test
  void endOfEmptyTopic_isACommitThatReadsTheFirstRecord() throws Exception {
    create("idle");
    TimestampAnswer end = latest("idle");
    assertThat(end.hasOffset()).isTrue();
    assertThat(end.getOffset()).isZero();
    commit("idle", entry("idle", 0, end.getOffset()));
    OffsetResult stored = new GroupClient(client, "idle").fetch().getOffsets(0);
    assertThat(stored.hasCommitted()).isTrue();
    assertThat(stored.getCommitted().getNextOffset()).isZero();

    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      send(producer, "idle", 1);
    }
    assertThat(lag("idle", ALL).getRecordLag()).isOne();
    try (KafkaConsumer<String, String> consumer = consumer("idle")) {
      consumer.subscribe(List.of("idle"));
      await().atMost(LIMIT).until(() -> !consumer.poll(Duration.ofMillis(100)).isEmpty());
    }
  }

  private static KafkaConsumer<String, String> consumer(String group) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            broker.bootstrapServers(),
            "group.id",
            group,
            "auto.offset.reset",
            "none",
            "enable.auto.commit",
            false),
        new StringDeserializer(),
        new StringDeserializer());
  }

  /** Report 92: an offset from elsewhere is no negative lag, and isn't taken unless allowed. */
  @Test
  void offsetAboveTheEnd_isRefusedOrSaidToBeAhead() throws Exception {
    create("mirrored");
    assertThat(commit("mirrored", entry("mirrored", 0, 100)).getError().getReason())
        .isEqualTo(ErrorReason.ERROR_REASON_OFFSET_OUT_OF_RANGE);
    assertThat(commit("mirrored", entry("mirrored", 0, 100).setAllowOutOfRange(true)).getOutcome())
        .isEqualTo(CommitOutcome.COMMIT_OUTCOME_COMMITTED);
    PartitionLag lag = lag("mirrored", ALL);
    assertThat(lag.getStatus()).isEqualTo(LagStatus.LAG_STATUS_AHEAD_OF_END);
    assertThat(lag.getAheadBy()).isEqualTo(100);
    assertThat(lag.getRecordLag()).isZero();
  }

  /** Report 112: commits and ends are read at different times, and from different places. */
  @Test
  void commitsAtTheEndUnderLoad_areNeverAheadOfIt() throws Exception {
    create("busy");
    TopicPartition partition = new TopicPartition("busy", 0);
    AtomicBoolean ended = new AtomicBoolean();
    commit("busy", entry("busy", 0, 0));
    CompletableFuture<Long> load =
        CompletableFuture.supplyAsync(() -> writeAndCommit(partition, ended));
    try {
      for (int i = 0; i < UNDER_LOAD; i++) {
        PartitionLag lag = lag("busy", ALL);
        assertThat(lag.getStatus())
            .as("%s", lag)
            .isIn(LagStatus.LAG_STATUS_CAUGHT_UP, LagStatus.LAG_STATUS_BEHIND);
        assertThat(lag.getRecordLag()).isNotNegative();
        assertThat(lag.getOffsetLag()).isNotNegative();
      }
    } finally {
      ended.set(true);
    }
    assertThat(load.get()).isPositive();
  }

  /** Each record is committed as soon as it was written; the group has no members. */
  private static long writeAndCommit(TopicPartition partition, AtomicBoolean ended) {
    long next = 0;
    try (KafkaProducer<String, String> producer = producer(Map.of())) {
      while (!ended.get()) {
        next = producer.send(new ProducerRecord<>("busy", "record")).get().offset() + 1;
        admin
            .alterConsumerGroupOffsets("busy", Map.of(partition, new OffsetAndMetadata(next)))
            .all()
            .get();
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return next;
  }
}
