package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.testkit.KafkaCluster;
import io.whence.testkit.OracleRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.kafka.clients.admin.OffsetSpec;

/**
 * Asks a source all the time, whatever happens to the cluster that it follows, and judges the
 * answers at check points, when nothing is written: by brute force over the files of the brokers.
 * Thread safety: single-writer; it asks on a thread of its own.
 */
final class Campaign implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long FAR_MS = 4_000_000_000_000L;
  private static final int SAMPLE = 2_000;

  /** What a source may refuse with while its cluster is in trouble. */
  private static final Set<ErrorReason> REFUSALS =
      EnumSet.of(
          ErrorReason.NOT_READY,
          ErrorReason.LEADER_UNAVAILABLE,
          ErrorReason.STALE_TOPIC,
          ErrorReason.UNKNOWN_TOPIC,
          ErrorReason.UNKNOWN_PARTITION);

  /** What is judged as one: a topic that was made again is another one. */
  private record Key(TopicId topic, TopicPartition partition) {}

  private final TroubledCluster cluster;
  private final SteadyTraffic traffic;
  private final Path directory;
  private final String lossyTopic;
  private final SteadyQuestions questions;
  private final SteadyQuestions liveQuestions;
  private final Random random;
  private final Random liveRandom;
  private final ScheduledExecutorService asker = Executors.newSingleThreadScheduledExecutor();
  private final Map<Key, PartitionTruth> truths = new ConcurrentHashMap<>();
  private final Map<ErrorReason, Integer> refusals = new ConcurrentHashMap<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger confirmed = new AtomicInteger();

  /** Held for reading by who asks, for writing while the source is opened again. */
  private final ReentrantReadWriteLock open = new ReentrantReadWriteLock(true);

  private FollowedCluster followed;
  private volatile List<Long> times = List.of(0L);
  private int answers;

  /**
   * Begins to follow and to ask.
   *
   * @param lossyTopic the topic that may lose what was acknowledged
   * @param paceMs how long it waits between two snapshots that it asks, in milliseconds
   */
  Campaign(
      TroubledCluster cluster,
      SteadyTraffic traffic,
      Path directory,
      String lossyTopic,
      Random random,
      long paceMs)
      throws IOException {
    this.cluster = cluster;
    this.traffic = traffic;
    this.directory = directory;
    this.lossyTopic = lossyTopic;
    this.random = random;
    this.liveRandom = new Random(random.nextLong());
    this.questions = new SteadyQuestions(random);
    this.liveQuestions = new SteadyQuestions(liveRandom);
    this.followed = FollowedCluster.open(directory, cluster.bootstrapServers());
    Future<?> unused =
        asker.scheduleWithFixedDelay(this::askSomething, 0, paceMs, TimeUnit.MILLISECONDS);
  }

  /** Ends the source and starts it again, on the same directory, after something has happened. */
  void reopen(Runnable meanwhile) throws IOException {
    open.writeLock().lock();
    try {
      followed.close();
      meanwhile.run();
      followed = FollowedCluster.open(directory, cluster.bootstrapServers());
    } finally {
      open.writeLock().unlock();
    }
  }

  /** Returns the log of a partition as it is followed at this moment. */
  LogSnapshot snapshot(TopicPartition partition) {
    return followed.source().snapshot(partition);
  }

  private void askSomething() {
    open.readLock().lock();
    try {
      List<String> names = List.copyOf(cluster.topics().keySet());
      String topic = names.get(liveRandom.nextInt(names.size()));
      int count = cluster.topics().getOrDefault(topic, 1);
      TopicPartition partition = new TopicPartition(topic, liveRandom.nextInt(count));
      if (topic.equals(lossyTopic) || liveRandom.nextInt(5) > 0) {
        ask(partition);
      } else {
        askConfirmed(partition);
      }
    } catch (WhenceException e) {
      refused(e);
    } catch (RuntimeException | AssertionError e) {
      wrong.add("failed with " + e);
    } finally {
      open.readLock().unlock();
    }
  }

  private void refused(WhenceException e) {
    refusals.merge(e.reason(), 1, Integer::sum);
    if (!REFUSALS.contains(e.reason())) {
      wrong.add("refused with " + e.reason() + ": " + e.getMessage());
    }
  }

  private void ask(TopicPartition partition) {
    Key key = key(partition);
    LogSnapshot log = followed.source().snapshot(partition);
    if (key(partition).equals(key)) {
      truth(key).asked(liveQuestions.ask(log, 2, () -> someTime(log, liveRandom)));
    }
  }

  /** What was acknowledged, and what the leader shows, is there once the source has caught up. */
  private void askConfirmed(TopicPartition partition) {
    Key key = key(partition);
    long end = traffic.acknowledgedEnd(partition);
    long stableEnd = stableEnd(partition);
    for (WhenceException failure :
        followed.source().catchUp(List.of(partition), Cancellation.NONE).values()) {
      throw failure;
    }
    LogSnapshot log = followed.source().snapshot(partition);
    if (!key(partition).equals(key)) {
      return;
    }
    confirmed.incrementAndGet();
    if (log.highWatermark() < end || log.lastStableOffset() < stableEnd) {
      wrong.add(
          "%s: confirmed %d and %d, acknowledged was %d, stable %d"
              .formatted(partition, log.highWatermark(), log.lastStableOffset(), end, stableEnd));
    }
    truth(key).asked(liveQuestions.ask(log, 1, () -> latest(log) + 1));
  }

  private long stableEnd(TopicPartition partition) {
    try {
      return cluster.offset(
          partition, OffsetSpec.latest(), org.apache.kafka.common.IsolationLevel.READ_COMMITTED);
    } catch (IllegalStateException e) {
      return 0; // The leader is away.
    }
  }

  private Key key(TopicPartition partition) {
    TopicId id = followed.source().topic(partition.topic()).topicId().orElseThrow();
    return new Key(id, partition);
  }

  private PartitionTruth truth(Key key) {
    return truths.computeIfAbsent(key, unused -> new PartitionTruth());
  }

  /** A time that a record has, or nearly; or one of late. */
  private long someTime(LogSnapshot log, Random chance) {
    List<Long> known = times;
    return chance.nextBoolean()
        ? known.get(chance.nextInt(known.size())) + chance.nextInt(3) - 1
        : Math.max(0, latest(log) - chance.nextInt(8_000));
  }

  /** No record is later; some time where that is not known. */
  private static long latest(LogSnapshot log) {
    return Math.min(log.largestTimestampMs(0), FAR_MS);
  }

  /** A time of any record, or of one near the end of this very log. */
  private long settledTime(PartitionTruth truth, LogSnapshot log) {
    long end = log.highWatermark();
    List<OracleRecord> newest = truth.records(end - SteadyQuestions.NEAR_END, end);
    return newest.isEmpty() || random.nextBoolean()
        ? someTime(log, random)
        : newest.get(random.nextInt(newest.size())).timestampMs() + random.nextInt(3) - 1;
  }

  /** Judges all answers, and more that are asked for now; nothing is being written. */
  void check(int timesEach) {
    Map<Key, LogSnapshot> settled = new HashMap<>();
    for (Map.Entry<String, Integer> topic : cluster.topics().entrySet()) {
      for (int i = 0; i < topic.getValue(); i++) {
        TopicPartition partition = new TopicPartition(topic.getKey(), i);
        LogSnapshot log =
            await()
                .alias(partition + " settles")
                .atMost(LIMIT)
                .ignoreExceptions()
                .until(() -> settled(partition), Optional::isPresent)
                .orElseThrow();
        settled.put(key(partition), log);
      }
    }
    takeSample(settled);
    settled.forEach(
        (key, log) ->
            truth(key).asked(questions.ask(log, timesEach, () -> settledTime(truth(key), log))));
    truths.values().forEach(this::judge);
    truths.keySet().retainAll(settled.keySet());
    assertThat(wrong).isEmpty();
    assertThat(traffic.failures()).isEmpty();
  }

  private void judge(PartitionTruth truth) {
    PartitionTruth.Verdict verdict = truth.judge();
    answers += verdict.answers();
    wrong.addAll(verdict.wrong());
  }

  /** The same on both sides, and no transaction open; the truth has its records then. */
  private Optional<LogSnapshot> settled(TopicPartition partition) {
    long start = offset(partition, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    long end = offset(partition, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    LogSnapshot log = followed.source().snapshot(partition);
    if (offset(partition, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED) != end
        || offset(partition, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED) != start
        || log.logStartOffset() != start
        || log.highWatermark() != end
        || log.lastStableOffset() != end) {
      return Optional.empty();
    }
    truth(key(partition)).add(files -> addFiles(partition, end, files));
    return Optional.of(log);
  }

  /** What may be truncated below what was committed is only where its leader has it. */
  private void addFiles(TopicPartition partition, long end, WrittenRecords files) {
    if (partition.topic().equals(lossyTopic)) {
      files.add(cluster.directory(cluster.leader(partition), partition), end);
    } else {
      KafkaCluster.BROKERS.forEach(
          id -> files.addWithDeleted(cluster.directory(id, partition), end));
    }
  }

  private long offset(TopicPartition partition, OffsetSpec which, IsolationLevel isolation) {
    return cluster.offset(
        partition, which, org.apache.kafka.common.IsolationLevel.valueOf(isolation.name()));
  }

  private void takeSample(Map<Key, LogSnapshot> settled) {
    List<Long> sample = new ArrayList<>(List.of(0L));
    settled.forEach(
        (key, log) -> {
          List<OracleRecord> records =
              truth(key).records(log.logStartOffset(), log.highWatermark());
          for (int i = 0; i < SAMPLE / settled.size() && !records.isEmpty(); i++) {
            sample.add(records.get(random.nextInt(records.size())).timestampMs());
          }
        });
    times = List.copyOf(sample);
  }

  /**
   * A partition whose leader is away says so, and its neighbour in the same question is answered.
   */
  void assertAnsweredBut(TopicPartition answered, TopicPartition away) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              assertThatThrownBy(() -> followed.source().snapshot(away))
                  .isInstanceOfSatisfying(WhenceException.class, Campaign::assertUnavailable);
              assertThat(followed.source().catchUp(List.of(answered, away), Cancellation.NONE))
                  .containsOnlyKeys(away)
                  .hasEntrySatisfying(away, Campaign::assertUnavailable);
              assertThat(followed.source().snapshot(answered).highWatermark()).isZero();
            });
  }

  private static void assertUnavailable(WhenceException failure) {
    assertThat(failure.reason()).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
    assertThat(failure.reason().isRetriable()).isTrue();
  }

  /** From here on the topic that may lose records has another history. */
  void beginLoss() {
    lossy().forEach(PartitionTruth::begin);
  }

  /** The loss is over. */
  void endLoss() {
    lossy().forEach(PartitionTruth::forgetOthers);
  }

  private List<PartitionTruth> lossy() {
    return truths.entrySet().stream()
        .filter(truth -> truth.getKey().partition().topic().equals(lossyTopic))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Waits until the source follows a topic under another id. */
  void awaitOther(String topic, TopicId before) {
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(() -> !followed.source().topic(topic).topicId().orElseThrow().equals(before));
  }

  TopicId id(String topic) {
    return followed.source().topic(topic).topicId().orElseThrow();
  }

  /** Returns how many answers were judged. */
  int answers() {
    return answers;
  }

  /** Tells how it went. */
  String summary() {
    return answers
        + " answers judged, "
        + confirmed
        + " ends confirmed, "
        + wrong.size()
        + " wrong, refused "
        + refusals;
  }

  @Override
  public void close() throws IOException {
    asker.shutdownNow();
    open.writeLock().lock();
    try {
      followed.close();
    } finally {
      open.writeLock().unlock();
    }
  }
}
