package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real cluster of several brokers is followed while all that can happen to it does: each answer
 * is that of brute force over what the brokers have. {@code -Dwhence.campaign.answers=100000} goes
 * on until so many were judged.
 */
class KafkaClusterIT {
  private static final int ANSWERS = Integer.getInteger("whence.campaign.answers", 5_000);

  /** Judging takes longer than asking: a short campaign asks less. */
  private static final long PACE_MS = ANSWERS > 10_000 ? 30 : 120;

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String TRIMMED = "orders";
  private static final String RECREATED = "payments";
  private static final String RETAINED = "short";
  private static final String LOSSY = "lossy";
  private static final String ONCE = "once";
  private static final int MOST_PARTITIONS = 6;
  private static final long LOST_MS = 1_690_000_000_000L;

  @TempDir private Path directory;
  private final long seed = Long.getLong("whence.campaign.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private TroubledCluster cluster;
  private SteadyTraffic traffic;
  private Campaign campaign;
  private int losses;

  @BeforeEach
  void start() throws Exception {
    cluster = TroubledCluster.start();
    cluster.create(TRIMMED, 3, Map.of());
    createPayments();
    cluster.create(RETAINED, 2, Map.of("retention.bytes", "20000", "segment.ms", "3000"));
    cluster.create(LOSSY, 2, Map.of());
    cluster.createUnreplicated(ONCE);
    traffic = new SteadyTraffic(cluster.bootstrapServers(), cluster.topics(), 2, random);
    campaign = new Campaign(cluster, traffic, directory, LOSSY, random, PACE_MS);
  }

  private void createPayments() {
    cluster.create(RECREATED, 2, Map.of("message.timestamp.type", "LogAppendTime"));
  }

  @AfterEach
  void stop() throws Exception {
    if (campaign != null) {
      System.out.println("KafkaClusterIT seed " + seed + ": " + campaign.summary());
      campaign.close();
    }
    if (traffic != null) {
      traffic.close();
    }
    cluster.close();
  }

  @Test
  void everyAnswer_isThatOfBruteForce() throws Exception {
    do {
      trafficWhile(() -> {});
      trafficWhile(this::trimAndMoveLeaders);
      trafficWhile(this::growAndReopen);
      recreate();
      trafficWhile(() -> cluster.restart(2));
      trafficWhile(() -> cluster.restart(3));
      trafficWhile(cluster::electPreferred);
      loseRecords();
      trafficWhile(this::trimAndMoveLeaders);
      System.out.println("KafkaClusterIT seed " + seed + ": " + campaign.summary());
    } while (campaign.answers() < ANSWERS);
    assertThat(cluster.ledOffset(new TopicPartition(RETAINED, 0), OffsetSpec.earliest()))
        .as("retention has deleted records")
        .isPositive();
  }

  /** What happens to the cluster while records are written. */
  private interface Trouble {
    void happen() throws Exception;
  }

  private void trafficWhile(Trouble trouble) throws Exception {
    traffic.resume();
    try {
      awaitBursts(3);
      trouble.happen();
      awaitBursts(8);
    } finally {
      traffic.pause();
    }
    campaign.check(5);
  }

  private void awaitBursts(int count) {
    int enough = traffic.bursts() + count;
    await().atMost(LIMIT).until(() -> traffic.bursts() >= enough);
  }

  private void trimAndMoveLeaders() {
    for (String topic : new String[] {TRIMMED, RECREATED}) {
      TopicPartition partition = new TopicPartition(topic, random.nextInt(2));
      long start = cluster.ledOffset(partition, OffsetSpec.earliest());
      long end = cluster.ledOffset(partition, OffsetSpec.latest());
      cluster.trim(partition, start + random.nextLong(1 + (end - start) / 2));
    }
    cluster.topics().keySet().forEach(cluster::swapLeaders);
  }

  private void growAndReopen() throws Exception {
    int count = cluster.topics().get(TRIMMED);
    if (count < MOST_PARTITIONS) {
      cluster.grow(TRIMMED, count + 1);
    }
    campaign.reopen(() -> {});
  }

  private void recreate() throws Exception {
    TopicId before = campaign.id(RECREATED);
    cluster.delete(RECREATED);
    traffic.forget(RECREATED);
    createPayments();
    trafficWhile(() -> campaign.awaitOther(RECREATED, before));
  }

  /** Records that one broker alone has are followed, and lost; others take their offsets. */
  private void loseRecords() throws Exception {
    cluster.awaitInSync();
    long lostFrom = lossyEnd(1);
    cluster.stop(3);
    writeLossy(20 + random.nextInt(20), 20 + random.nextInt(20), LOST_MS);
    long longest = lossyEnd(1);
    campaign.assertAnsweredBut(new TopicPartition(ONCE, 0), new TopicPartition(ONCE, 1));
    campaign.check(5);
    int lostEpoch = lastEpoch(new TopicPartition(LOSSY, 1));
    campaign.beginLoss();
    cluster.kill(2);
    cluster.startAgain(3);
    // Who sees the new leader only when it has more records than before is easily deceived.
    if (losses++ % 2 == 0) {
      campaign.reopen(this::writeAnotherHistory);
    } else {
      writeAnotherHistory();
    }
    cluster.startAgain(2);
    cluster.awaitInSync();
    campaign.check(30);
    campaign.endLoss();
    assertThat(lossyEnd(1)).as("records were lost").isBetween(lostFrom + 1, longest - 1);
    // Who has committed the end of what was lost is told where to go on.
    assertThat(campaign.snapshot(new TopicPartition(LOSSY, 1)).leaderEpochs().endOf(lostEpoch))
        .as("end of epoch %d", lostEpoch)
        .hasValue(lostFrom);
  }

  private int lastEpoch(TopicPartition partition) {
    LogSnapshot log = campaign.snapshot(partition);
    return log.read(
            log.highWatermark() - 1,
            1,
            Long.MAX_VALUE,
            io.whence.model.IsolationLevel.READ_UNCOMMITTED,
            Cancellation.NONE)
        .get(0)
        .stamp()
        .partitionLeaderEpoch();
  }

  /** One partition gets longer than before, one stays shorter. */
  private void writeAnotherHistory() {
    cluster.electUnclean(LOSSY);
    writeLossy(100, 5, LOST_MS + 77);
  }

  private long lossyEnd(int partition) {
    return cluster.ledOffset(new TopicPartition(LOSSY, partition), OffsetSpec.latest());
  }

  private void writeLossy(int first, int second, long fromMs) {
    cluster.write(new TopicPartition(LOSSY, 0), first, fromMs);
    cluster.write(new TopicPartition(LOSSY, 1), second, fromMs);
  }
}
