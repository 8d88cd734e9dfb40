package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.TopicPartition;
import io.whence.testkit.BrokerComparison;
import io.whence.testkit.BruteForce;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaTopics;
import io.whence.testkit.OracleRecord;
import io.whence.testkit.OracleRecord.Kind;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real broker compacts what was followed: answers are those of what it has left. */
class CompactedTopicIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int QUESTIONS = 60;
  private static final int PARTITIONS = 2;
  private static final String TOPIC = "states";

  @TempDir private Path directory;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final SnapshotQuestions questions = new SnapshotQuestions(seed, random);
  private KafkaBroker broker;
  private Admin admin;
  private FollowedCluster cluster;

  @BeforeEach
  void start() throws Exception {
    broker =
        KafkaBroker.start(
            Map.of(
                "log.roll.ms", "200",
                "log.index.interval.bytes", "512",
                "log.cleaner.backoff.ms", "100",
                "log.cleaner.min.cleanable.ratio", "0.01"));
    admin = broker.admin();
    cluster = FollowedCluster.open(directory, broker.bootstrapServers());
  }

  @AfterEach
  void stop() throws Exception {
    System.out.println(
        "CompactedTopicIT seed " + seed + ", " + questions.count() + " answers checked");
    cluster.close();
    admin.close();
    broker.close();
  }

  private void create(String policy) throws Exception {
    NewTopic topic =
        new NewTopic(TOPIC, PARTITIONS, (short) 1).configs(Map.of("cleanup.policy", policy));
    KafkaTopics.create(admin, topic);
    await().atMost(LIMIT).ignoreExceptions().until(() -> snapshot(0) != null);
  }

  private ClusterTraffic traffic() {
    return new ClusterTraffic(broker, Map.of(TOPIC, PARTITIONS), random);
  }

  @Test
  void cleanedAfterItWasFollowed_answersEqualBruteForce() throws Exception {
    create("compact");
    try (ClusterTraffic traffic = traffic()) {
      for (int round = 0; round < 3; round++) {
        burst(traffic, 4);
        awaitCleaning(traffic, followed());
        checkAll();
        Runnable end = traffic.open();
        checkAll();
        end.run();
        checkAll();
      }
    }
    assertThat(questions.count()).isGreaterThan(2_000);
  }

  @Test
  void cleanedWhileTheServerIsAway_answersEqualBruteForce() throws Exception {
    create("compact");
    try (ClusterTraffic traffic = traffic()) {
      burst(traffic, 6);
      checkAll();
      List<Set<Long>> followed = followed();
      cluster.close();
      awaitCleaning(traffic, followed);
      cluster = FollowedCluster.open(directory, broker.bootstrapServers());
      checkAll();
    }
  }

  @Test
  void compactedOnlyLater_andNoLonger_answersEqualBruteForce() throws Exception {
    create("delete");
    try (ClusterTraffic traffic = traffic()) {
      burst(traffic, 6);
      checkAll();
      setPolicy("compact,delete");
      awaitCleaning(traffic, followed());
      checkAll();
      burst(traffic, 4);
      awaitCleaning(traffic, followed());
      setPolicy("delete");
      checkAll();
    }
  }

  private void setPolicy(String policy) throws Exception {
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, TOPIC),
                List.of(
                    new AlterConfigOp(
                        new ConfigEntry("cleanup.policy", policy), AlterConfigOp.OpType.SET))))
        .all()
        .get();
  }

  private void burst(ClusterTraffic traffic, int times) {
    for (int i = 0; i < times; i++) {
      traffic.burst();
    }
  }

  /** Until at least half of the given records are gone, however many came since. */
  private void awaitCleaning(ClusterTraffic traffic, List<Set<Long>> before) {
    long allowed = before.stream().mapToLong(Set::size).sum() / 2;
    await()
        .atMost(LIMIT)
        // A file that was listed may be cleaned away before it is read.
        .ignoreExceptionsInstanceOf(UncheckedIOException.class)
        .until(
            () -> {
              // The newest segment is never cleaned: it needs new ones behind.
              traffic.burst();
              return leftOf(before) <= allowed;
            });
  }

  private LogSnapshot snapshot(int partition) {
    return cluster.source().snapshot(new TopicPartition(TOPIC, partition));
  }

  private BruteForce oracle(int partition) {
    return BrokerComparison.oracle(broker, admin, new TopicPartition(TOPIC, partition));
  }

  /** How many of these the broker still has. */
  private long leftOf(List<Set<Long>> offsets) {
    long left = 0;
    for (int i = 0; i < PARTITIONS; i++) {
      Set<Long> before = offsets.get(i);
      left +=
          seen(oracle(i), IsolationLevel.READ_UNCOMMITTED).stream()
              .filter(before::contains)
              .count();
    }
    return left;
  }

  /** The offsets of the records that are followed, of each partition. */
  private List<Set<Long>> followed() {
    List<Set<Long>> offsets = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      offsets.add(Set.copyOf(seen(snapshot(i), IsolationLevel.READ_UNCOMMITTED)));
    }
    return offsets;
  }

  private static List<Long> seen(BruteForce oracle, IsolationLevel isolation) {
    LogBounds bounds = oracle.bounds(isolation);
    return oracle.records().stream()
        .filter(r -> r.offset() >= bounds.logStartOffset() && r.offset() < bounds.endOffset())
        .filter(r -> r.kind() != Kind.CONTROL)
        .filter(r -> isolation == IsolationLevel.READ_UNCOMMITTED || r.kind() == Kind.DATA)
        .map(OracleRecord::offset)
        .toList();
  }

  private static List<Long> seen(LogSnapshot log, IsolationLevel isolation) {
    return log
        .read(log.logStartOffset(), Integer.MAX_VALUE, Long.MAX_VALUE, isolation, Cancellation.NONE)
        .stream()
        .map(record -> record.stamp().offset())
        .toList();
  }

  private void checkAll() {
    for (int i = 0; i < PARTITIONS; i++) {
      int partition = i;
      Quiet quiet =
          await()
              .atMost(LIMIT)
              .ignoreExceptions()
              .until(() -> quiet(partition), Optional::isPresent)
              .orElseThrow();
      for (IsolationLevel isolation : IsolationLevel.values()) {
        assertThat(quiet.log().timelines(isolation)).as("%s in memory", isolation).isNotNull();
      }
      questions.ask(quiet.log(), quiet.oracle(), QUESTIONS);
    }
  }

  /** What both have while nothing changes: cleaning goes on for some time, and is then followed. */
  private record Quiet(LogSnapshot log, BruteForce oracle) {}

  private Optional<Quiet> quiet(int partition) {
    BruteForce before = oracle(partition);
    LogSnapshot log = snapshot(partition);
    BruteForce after = oracle(partition);
    boolean isQuiet = before.records().equals(after.records()) && isLike(log, after);
    return isQuiet ? Optional.of(new Quiet(log, after)) : Optional.empty();
  }

  private static boolean isLike(LogSnapshot log, BruteForce oracle) {
    for (IsolationLevel isolation : IsolationLevel.values()) {
      if (!log.bounds(isolation).equals(oracle.bounds(isolation))
          || !seen(log, isolation).equals(seen(oracle, isolation))) {
        return false;
      }
    }
    return true;
  }
}
