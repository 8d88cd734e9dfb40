package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.source.ReadRange;
import io.whence.source.TopicInfo;
import io.whence.testkit.BrokerComparison;
import io.whence.testkit.BruteForce;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real broker is followed: answers equal brute force over the broker's own files. */
class KafkaSourceIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int QUESTIONS = 40;

  @TempDir private Path directory;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final SnapshotQuestions questions = new SnapshotQuestions(seed, random);
  private final Map<String, Integer> topics = new TreeMap<>(Map.of("orders", 3, "payments", 2));
  private final LogResolver resolver = new LogResolver();
  private KafkaBroker broker;
  private Admin admin;
  private FollowedCluster cluster;

  @BeforeEach
  void start() throws Exception {
    broker =
        KafkaBroker.start(
            Map.of(
                "log.roll.ms", "300",
                "log.index.interval.bytes", "512",
                "group.initial.rebalance.delay.ms", "0"));
    admin = broker.admin();
    topics.forEach((topic, partitions) -> KafkaTopics.create(admin, topic, partitions));
    cluster = FollowedCluster.open(directory, broker.bootstrapServers());
  }

  @AfterEach
  void stop() throws Exception {
    System.out.println(
        "KafkaSourceIT seed " + seed + ", " + questions.count() + " answers checked");
    if (cluster != null) {
      cluster.close();
    }
    admin.close();
    broker.close();
  }

  @Test
  void liveTopics_answersEqualBruteForce() throws Exception {
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      for (int round = 0; round < 8; round++) {
        traffic.burst();
        checkAll();
        Runnable end = traffic.open();
        checkAll();
        end.run();
        checkAll();
      }
    }
    assertThat(questions.count()).isGreaterThan(5_000);
  }

  @Test
  void trimmedRestartedAndGrownTopics_answersEqualBruteForce() throws Exception {
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      for (int round = 0; round < 6; round++) {
        traffic.burst();
        trim("orders", round % 3);
        checkAll();
        if (round == 1) {
          cluster.close();
          traffic.burst();
          cluster = FollowedCluster.open(directory, broker.bootstrapServers());
          checkAll();
        } else if (round == 3) {
          broker.stop();
          broker.restart();
          traffic.burst();
          checkAll();
        }
      }
    }
    admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(5))).all().get();
    topics.put("orders", 5);
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      await().atMost(LIMIT).until(() -> cluster.source().topic("orders").partitionCount() == 5);
      traffic.burst();
      checkAll();
    }
  }

  @Test
  void recreatedTopic_neverMixesWithItsPredecessor() throws Exception {
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      traffic.burst();
      checkAll();
      TopicId before = cluster.source().topic("payments").topicId().orElseThrow();
      admin.deleteTopics(List.of("payments")).all().get();
      await().atMost(LIMIT).until(() -> created("payments", 2));
      traffic.burst();
      await()
          .atMost(LIMIT)
          .ignoreExceptions()
          .until(() -> !id("payments").equals(before) && ready("payments"));
      checkAll();
    }
  }

  @Test
  void brokerAway_lookupsSayWhyAndHeal() throws Exception {
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      traffic.burst();
      checkAll();
    }
    broker.kill();
    TopicPartition partition = new TopicPartition("orders", 0);
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> cluster.source().snapshot(partition))
                    .isInstanceOfSatisfying(
                        WhenceException.class,
                        failure ->
                            assertThat(failure.reason())
                                .isEqualTo(ErrorReason.LEADER_UNAVAILABLE)));
    broker.restart();
    await().atMost(LIMIT).ignoreExceptions().until(() -> ready("orders") && ready("payments"));
    checkAll();
  }

  /** What has its place meanwhile is told of the whole wait. */
  @Test
  void readBelowTheLogStart_looksAtTheTopicWhileItStillWaits() throws Exception {
    TopicPartition partition = new TopicPartition("orders", 0);
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      traffic.burst();
    }
    checkAll();
    org.apache.kafka.common.TopicPartition trimmed =
        new org.apache.kafka.common.TopicPartition("orders", 0);
    admin.deleteRecords(Map.of(trimmed, RecordsToDelete.beforeOffset(-1))).all().get();
    LogSnapshot log = cluster.source().snapshot(partition);
    ReadRange range = new ReadRange(partition, 0, 1, 1 << 20, IsolationLevel.READ_UNCOMMITTED);
    ToldOfWaits told = new ToldOfWaits();

    ClusterWait.run(
        () ->
            assertThatThrownBy(() -> cluster.source().read(log, range, told))
                .isInstanceOfSatisfying(
                    WhenceException.class,
                    failure ->
                        assertThat(failure.reason()).isEqualTo(ErrorReason.OFFSET_OUT_OF_RANGE)),
        told);

    assertThat(told.asked).isPositive();
    assertThat(told.askedOutside).isZero();
  }

  /** Counts how often work asks whether somebody waits for it. */
  private static final class ToldOfWaits implements ClusterWait.Waiter, Cancellation {
    private boolean waits;
    private int asked;
    private int askedOutside;

    @Override
    public void waitBegins() {
      waits = true;
    }

    @Override
    public void waitEnds() {
      waits = false;
    }

    @Override
    public void check() {
      asked++;
      askedOutside += waits ? 0 : 1;
    }
  }

  @Test
  void fileDamagedUnderReaders_isFetchedAgain() throws Exception {
    TopicPartition partition = new TopicPartition("orders", 1);
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      for (int i = 0; i < 5; i++) {
        traffic.burst();
      }
    }
    checkAll();
    LogSnapshot whole = cluster.source().snapshot(partition);
    flipBytes(directory.resolve(id("orders").toString()).resolve("orders-1"));
    assertThatThrownBy(() -> readAll(whole))
        .isInstanceOfSatisfying(
            WhenceException.class,
            failure -> assertThat(failure.reason()).isEqualTo(ErrorReason.DAMAGED_LOG));
    try (ClusterTraffic traffic = new ClusterTraffic(broker, topics, random)) {
      await()
          .atMost(LIMIT)
          .until(
              () -> {
                traffic.burst();
                return isWholeAgain(partition, readable(whole));
              });
    }
    checkAll();
  }

  /** What is answered meanwhile is never less than there was. */
  private boolean isWholeAgain(TopicPartition partition, long end) {
    try {
      LogSnapshot now = cluster.source().snapshot(partition);
      assertThat(readable(now)).as("seed %d", seed).isGreaterThanOrEqualTo(end);
      readAll(now);
      return true;
    } catch (WhenceException e) {
      // On a busy machine the lane may come late with what it confirms.
      assertThat(e.reason())
          .isIn(ErrorReason.DAMAGED_LOG, ErrorReason.NOT_READY, ErrorReason.LEADER_UNAVAILABLE);
      return false;
    }
  }

  private static long readable(LogSnapshot log) {
    return log.bounds(IsolationLevel.READ_UNCOMMITTED).endOffset();
  }

  /** Every block is read: offsets one by one. Returns the end. */
  private long readAll(LogSnapshot log) {
    for (long offset = log.logStartOffset(); offset < readable(log); offset++) {
      resolver.resolveOffset(log, offset, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE);
    }
    return readable(log);
  }

  /** One byte in the header of the first batch of each file. */
  private static void flipBytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".log")).toList()) {
        try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
          ByteBuffer one = ByteBuffer.allocate(1);
          if (channel.read(one, 30) == 1) {
            one.put(0, (byte) (one.get(0) ^ 0x10));
            channel.write(one.flip(), 30);
          }
        }
      }
    }
  }

  private boolean created(String topic, int partitions) throws Exception {
    try {
      KafkaTopics.create(admin, topic, partitions);
      return true;
    } catch (IllegalStateException e) {
      return false; // Still being deleted.
    }
  }

  private TopicId id(String topic) {
    TopicInfo info = cluster.source().topic(topic);
    return info.topicId().orElseThrow();
  }

  private boolean ready(String topic) {
    for (int i = 0; i < topics.get(topic); i++) {
      cluster.source().snapshot(new TopicPartition(topic, i));
    }
    return true;
  }

  private void trim(String topic, int number) throws Exception {
    org.apache.kafka.common.TopicPartition partition =
        new org.apache.kafka.common.TopicPartition(topic, number);
    long end =
        BrokerComparison.oracle(broker, admin, new TopicPartition(topic, number))
            .bounds(IsolationLevel.READ_UNCOMMITTED)
            .endOffset();
    long before = end == 0 ? 0 : random.nextLong(end);
    admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before))).all().get();
  }

  /** All is quiet: once what the broker has is followed, both must answer the same. */
  private void checkAll() throws IOException {
    for (Map.Entry<String, Integer> topic : topics.entrySet()) {
      for (int i = 0; i < topic.getValue(); i++) {
        check(new TopicPartition(topic.getKey(), i));
      }
    }
  }

  private void check(TopicPartition partition) {
    Quiet quiet =
        await()
            .atMost(LIMIT)
            .ignoreExceptions()
            .until(() -> quiet(partition), Optional::isPresent)
            .orElseThrow();
    questions.ask(quiet.log(), quiet.oracle(), QUESTIONS);
  }

  /** What both have while nothing changes: markers come some time after a commit has ended. */
  private record Quiet(LogSnapshot log, BruteForce oracle) {}

  private Optional<Quiet> quiet(TopicPartition partition) {
    BruteForce before = BrokerComparison.oracle(broker, admin, partition);
    LogSnapshot log = cluster.source().snapshot(partition);
    BruteForce after = BrokerComparison.oracle(broker, admin, partition);
    boolean isQuiet =
        before.records().equals(after.records()) && isLike(log, before) && isLike(log, after);
    return isQuiet ? Optional.of(new Quiet(log, after)) : Optional.empty();
  }

  private static boolean isLike(LogSnapshot log, BruteForce oracle) {
    for (IsolationLevel isolation : IsolationLevel.values()) {
      if (!log.bounds(isolation).equals(oracle.bounds(isolation))) {
        return false;
      }
    }
    return true;
  }
}
