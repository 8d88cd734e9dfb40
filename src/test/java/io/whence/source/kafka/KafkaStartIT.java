package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.whence.log.LogSnapshot;
import io.whence.log.UnfollowedHead;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.testkit.BrokerComparison;
import io.whence.testkit.BruteForce;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real broker is followed from elsewhere than its beginning, and asked itself. */
class KafkaStartIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long MINUTE_MS = 60_000;
  private static final int PARTITIONS = 6;
  private static final int BURST = 150;

  @TempDir private Path directory;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final long nowMs = System.currentTimeMillis();
  private KafkaBroker broker;
  private Admin admin;
  private KafkaProducer<byte[], byte[]> producer;
  private FollowedCluster cluster;

  @BeforeEach
  void start() throws Exception {
    System.out.println("KafkaStartIT seed " + seed);
    broker = KafkaBroker.start(Map.of("log.roll.ms", "20000", "log.index.interval.bytes", "128"));
    admin = broker.admin();
    create("orders", PARTITIONS);
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "batch.size", 300),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
    producer.close();
    admin.close();
    broker.close();
  }

  private void create(String topic, int partitions) throws Exception {
    KafkaTopics.create(admin, topic, partitions);
  }

  private void open(StartPoint start) throws IOException {
    cluster =
        FollowedCluster.open(
            directory, Map.of("bootstrap.servers", broker.bootstrapServers()), start);
  }

  private static TopicPartition orders(int number) {
    return new TopicPartition("orders", number);
  }

  /** Writes to some partitions, about one record a second, with up to 90 seconds of disorder. */
  private void burst(String topic, long fromMs, int... partitions) {
    for (int partition : partitions) {
      for (int i = 0; i < BURST; i++) {
        long ms = fromMs + i * 1_000L - random.nextInt(random.nextInt(5) == 0 ? 90_000 : 500);
        producer.send(new ProducerRecord<>(topic, partition, ms, new byte[] {1}, new byte[30]));
      }
    }
    producer.flush();
  }

  private List<OracleRecord> records(TopicPartition partition) {
    return oracle(partition).records();
  }

  private BruteForce oracle(TopicPartition partition) {
    return BrokerComparison.oracle(broker, admin, partition);
  }

  private Optional<LogSnapshot> followed(TopicPartition partition, long endOffset) {
    try {
      LogSnapshot log = cluster.source().snapshot(partition);
      return Optional.of(log).filter(it -> it.highWatermark() == endOffset);
    } catch (WhenceException e) {
      return Optional.empty();
    }
  }

  private LogSnapshot awaitFollowed(TopicPartition partition) {
    long end = oracle(partition).bounds(IsolationLevel.READ_UNCOMMITTED).endOffset();
    return await().atMost(LIMIT).until(() -> followed(partition, end), Optional::isPresent).get();
  }

  private long exactMs(TopicPartition partition, UnfollowedHead head) {
    return records(partition).stream()
        .filter(r -> r.offset() >= head.startOffset() && r.offset() < head.endOffset())
        .mapToLong(r -> r.timestampMs() + 1)
        .max()
        .orElse(0);
  }

  private long largestFollowedMs(TopicPartition partition, UnfollowedHead head) {
    return records(partition).stream()
        .filter(r -> r.offset() >= head.endOffset())
        .mapToLong(OracleRecord::timestampMs)
        .max()
        .orElse(-1);
  }

  /** Never proven wrongly on the way; in the end exact where what is followed reaches so far. */
  private void awaitThreshold(TopicPartition partition) {
    UnfollowedHead head = awaitFollowed(partition).head();
    assertThat(head).as("%s, seed %d", partition, seed).isNotNull();
    long exactMs = exactMs(partition, head);
    long expected = largestFollowedMs(partition, head) >= exactMs ? exactMs : Long.MAX_VALUE;
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              UnfollowedHead now = cluster.source().snapshot(partition).head();
              if (now.belowMs() < exactMs) {
                throw new IllegalStateException("proven wrongly: " + now + ", seed " + seed);
              }
              assertThat(now.belowMs()).as("%s, seed %d", partition, seed).isEqualTo(expected);
            });
  }

  @Test
  void latest_followedFromTheEnd_thresholdsEqualBruteForce_restartKeepsThem() throws Exception {
    burst("orders", nowMs - 60 * MINUTE_MS, 0, 1, 2, 3);
    burst("orders", nowMs - 50 * MINUTE_MS, 0, 1, 2);
    open(new StartPoint.Latest());
    for (int i = 0; i < PARTITIONS; i++) {
      long end = oracle(orders(i)).bounds(IsolationLevel.READ_UNCOMMITTED).endOffset();
      LogSnapshot log = awaitFollowed(orders(i));
      assertThat(log.firstOffset()).isEqualTo(end);
      assertThat(log.logStartOffset()).isZero();
    }
    // Partition 2 gets nothing, 3 only what is older than what it had, 4 had nothing.
    burst("orders", nowMs - 48 * MINUTE_MS, 0, 1);
    burst("orders", nowMs - 120 * MINUTE_MS, 3, 4);
    awaitThreshold(orders(0));
    awaitThreshold(orders(1));
    awaitThreshold(orders(2));
    awaitThreshold(orders(3));
    assertThat(awaitFollowed(orders(4)).head()).isNull();

    cluster.close();
    burst("orders", nowMs - 40 * MINUTE_MS, 0, 3);
    open(new StartPoint.Latest());
    assertThat(awaitFollowed(orders(0)).firstOffset()).isEqualTo(2 * BURST);
    assertThat(awaitFollowed(orders(3)).firstOffset()).isEqualTo(BURST);
    assertThat(awaitFollowed(orders(4)).firstOffset()).isZero();
    awaitThreshold(orders(0));
    awaitThreshold(orders(3));
    assertThat(cluster.source().snapshot(orders(3)).head().belowMs()).isLessThan(nowMs);
  }

  @Test
  void newTopicsAndPartitions_followedFromTheirBeginning() throws Exception {
    burst("orders", nowMs - 60 * MINUTE_MS, 0);
    open(new StartPoint.Latest());
    awaitFollowed(orders(0));
    create("later", 1);
    admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(PARTITIONS + 1))).all().get();
    burst("later", nowMs, 0);
    burst("orders", nowMs, PARTITIONS);
    TopicPartition later = new TopicPartition("later", 0);

    for (TopicPartition partition : List.of(later, orders(PARTITIONS))) {
      LogSnapshot log = awaitFollowed(partition);
      assertThat(log.firstOffset()).isZero();
      assertThat(log.head()).isNull();
    }
    assertThat(cluster.source().snapshot(orders(0)).firstOffset()).isEqualTo(BURST);
  }

  @Test
  void ago_followedFromTheFirstRecordThatIsNoOlder_trimmedHeadsNeverProvenWrongly()
      throws Exception {
    burst("orders", nowMs - 120 * MINUTE_MS, 0, 1, 2, 3);
    burst("orders", nowMs - 50 * MINUTE_MS, 0, 1, 3);
    burst("orders", nowMs - 40 * MINUTE_MS, 0, 4);
    for (int trimmed : new int[] {1, 3}) {
      admin
          .deleteRecords(
              Map.of(
                  new org.apache.kafka.common.TopicPartition("orders", trimmed),
                  RecordsToDelete.beforeOffset(1 + random.nextInt(BURST - 1))))
          .all()
          .get();
    }
    open(new StartPoint.Ago(Duration.ofHours(1)));
    for (int i = 0; i < PARTITIONS; i++) {
      List<OracleRecord> records = records(orders(i));
      LogSnapshot log = awaitFollowed(orders(i));
      long first =
          records.stream()
              .filter(r -> r.timestampMs() >= nowMs - 60 * MINUTE_MS)
              .mapToLong(OracleRecord::offset)
              .findFirst()
              .orElse(records.size());
      assertThat(log.firstOffset()).as("partition %d, seed %d", i, seed).isEqualTo(first);
    }
    awaitThreshold(orders(0));
    for (int trimmed : new int[] {1, 3}) {
      TopicPartition partition = orders(trimmed);
      UnfollowedHead head = cluster.source().snapshot(partition).head();
      assertThat(head.belowMs())
          .as("seed %d", seed)
          .isBetween(exactMs(partition, head), nowMs - 59 * MINUTE_MS);
    }
  }

  @Test
  void brokerAnswers_areKafkasOwn() throws Exception {
    Map<String, Integer> topics = Map.of("orders", PARTITIONS);
    int checked = 0;
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      for (int i = 0; i < 4; i++) {
        traffic.burst();
      }
      await().atMost(LIMIT).until(this::isDecided);
      Runnable end = traffic.open();
      open(new StartPoint.Latest());
      await().atMost(LIMIT).until(() -> cluster.source().isReady());
      for (IsolationLevel isolation : IsolationLevel.values()) {
        checked += check(isolation);
      }
      end.run();
    }
    System.out.println("KafkaStartIT " + checked + " broker answers checked");
    assertThat(checked).isGreaterThan(500);
  }

  /** Markers come some time after a commit has ended. */
  private boolean isDecided() {
    return IntStream.range(0, PARTITIONS)
        .mapToObj(i -> oracle(orders(i)))
        .allMatch(
            oracle ->
                oracle
                    .bounds(IsolationLevel.READ_COMMITTED)
                    .equals(oracle.bounds(IsolationLevel.READ_UNCOMMITTED)));
  }

  private int check(IsolationLevel isolation) {
    List<ClusterQuestion> questions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      List<OracleRecord> records = records(orders(i));
      for (int n = 0; n < 40 && !records.isEmpty(); n++) {
        long ms = records.get(random.nextInt(records.size())).timestampMs() + random.nextInt(3) - 1;
        questions.add(new ClusterQuestion(orders(i), new Position.AtOrAfter(ms)));
      }
      questions.add(new ClusterQuestion(orders(i), new Position.AtOrAfter(Long.MAX_VALUE)));
      questions.add(new ClusterQuestion(orders(i), new Position.MaxTimestamp()));
      questions.add(new ClusterQuestion(orders(i), new Position.Earliest()));
      questions.add(new ClusterQuestion(orders(i), new Position.Latest()));
    }
    List<ClusterAnswer> answers =
        cluster.source().askCluster(questions, isolation, Cancellation.NONE);
    assertThat(answers).hasSameSizeAs(questions);
    IntStream.range(0, answers.size())
        .forEach(i -> check(questions.get(i), answers.get(i), isolation));
    return answers.size();
  }

  /** The first record that qualifies, whoever may see it; nothing if that is beyond the end. */
  private void check(ClusterQuestion question, ClusterAnswer answer, IsolationLevel isolation) {
    BruteForce oracle = oracle(question.partition());
    LogBounds bounds = oracle.bounds(isolation);
    Position position = question.position();
    if (position instanceof Position.Earliest || position instanceof Position.Latest) {
      long offset =
          position instanceof Position.Latest ? bounds.endOffset() : bounds.logStartOffset();
      assertThat(answer.resolution().offset()).isEqualTo(offset);
      return;
    }
    Optional<OracleRecord> hit = hit(oracle, position, bounds.endOffset());
    String what = question + " " + isolation + ", seed " + seed;
    if (hit.isEmpty() && position instanceof Position.MaxTimestamp && bounds.endOffset() > 0) {
      assertThatThrownBy(answer::resolution)
          .as(what)
          .isInstanceOfSatisfying(
              WhenceException.class,
              e -> assertThat(e.reason()).isIn(ErrorReason.NOT_FOLLOWED, ErrorReason.NOT_READY));
      return;
    }
    Resolution resolution = answer.resolution();
    assertThat(resolution.bounds()).as(what).isEqualTo(bounds);
    if (hit.isPresent()) {
      assertThat(resolution.outcome()).as(what).isEqualTo(Outcome.FOUND);
      assertThat(resolution.offset()).as(what).isEqualTo(hit.get().offset());
      assertThat(resolution.record().timestampMs()).as(what).isEqualTo(hit.get().timestampMs());
      assertThat(resolution.record().partitionLeaderEpoch()).isEqualTo(hit.get().leaderEpoch());
    } else {
      assertThat(resolution.outcome())
          .as(what)
          .isEqualTo(bounds.endOffset() == 0 ? Outcome.EMPTY : Outcome.AFTER_END);
    }
  }

  private static Optional<OracleRecord> hit(BruteForce oracle, Position position, long endOffset) {
    long targetMs =
        position instanceof Position.AtOrAfter p
            ? p.targetTimestampMs()
            : oracle.records().stream().mapToLong(OracleRecord::timestampMs).max().orElse(0);
    return oracle.records().stream()
        .filter(r -> r.timestampMs() >= targetMs)
        .findFirst()
        .filter(r -> r.offset() < endOffset);
  }
}
