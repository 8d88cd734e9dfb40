package io.whence.commit.kafka;

import static io.whence.commit.kafka.GroupCluster.await;
import static io.whence.commit.kafka.GroupCluster.commit;
import static io.whence.commit.kafka.GroupCluster.committed;
import static io.whence.commit.kafka.Writes.TOPIC;
import static io.whence.commit.kafka.Writes.anywhere;
import static io.whence.commit.kafka.Writes.atomic;
import static io.whence.commit.kafka.Writes.request;
import static io.whence.commit.kafka.Writes.swap;
import static io.whence.commit.kafka.Writes.write;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.whence.commit.CommitEntry;
import io.whence.commit.CommitOutcome;
import io.whence.commit.CommitRequest;
import io.whence.commit.CommitResult;
import io.whence.commit.Expected;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Guarded commits of several servers, and of strangers, for one group at once. */
class GuardedCommitsIT {
  private static final int INCREMENTS = 120;
  private static final int SWAPS = 200;

  /** About as long as a swap takes. */
  private static final int MAX_DELAY_NANOS = 15_000_000;

  private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);

  private static GroupCluster cluster;
  private final ExecutorService threads = Executors.newFixedThreadPool(4);

  @BeforeAll
  static void start() {
    cluster = GroupCluster.start(Map.of());
  }

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Two servers count in the same offsets, each believing that it alone does. */
  @Test
  void incrementsOfTwoServers_loseNone() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    commit(cluster.open(), request("counter", anywhere(0, 0), anywhere(1, 0), anywhere(2, 0)));

    List<Future<Tally>> counting = new ArrayList<>();
    for (int server = 0; server < 2; server++) {
      KafkaGroupOffsets offsets = cluster.open();
      Random random = new Random(seed + server);
      counting.add(threads.submit(() -> count(offsets, random)));
    }
    Tally first = counting.get(0).get(180, SECONDS);
    Tally second = counting.get(1).get(180, SECONDS);

    KafkaGroupOffsets after = cluster.open();
    long sum = 0;
    for (int i = 0; i < GroupCluster.PARTITIONS; i++) {
      long made = first.made[i] + second.made[i];
      assertThat(committed(after, "counter", i))
          .as("partition %d, seed %d", i, seed)
          .isBetween(made, made + first.untold[i] + second.untold[i]);
      sum += made;
    }
    assertThat(sum).isGreaterThanOrEqualTo(4 * INCREMENTS);
  }

  /** What one server has counted, by partition. Thread safety: single-writer. */
  private static final class Tally {
    private final long[] made = new long[GroupCluster.PARTITIONS];

    /** Those of which the cluster didn't say; rare. */
    private final long[] untold = new long[GroupCluster.PARTITIONS];
  }

  /** Increments two partitions at a time, all or nothing. */
  private static Tally count(KafkaGroupOffsets offsets, Random random) {
    Tally tally = new Tally();
    for (int done = 0; done < INCREMENTS; ) {
      int first = random.nextInt(GroupCluster.PARTITIONS);
      int second = (first + 1) % GroupCluster.PARTITIONS;
      CommitRequest increment =
          atomic(request("counter", increment(offsets, first), increment(offsets, second)));
      try {
        if (commit(offsets, increment).get(0).outcome() == CommitOutcome.COMMITTED) {
          tally.made[first]++;
          tally.made[second]++;
          done++;
        }
      } catch (WhenceException e) {
        assertThat(e.reason()).as(e.getMessage()).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
        if (e.isOutcomeUnknown()) {
          tally.untold[first]++;
          tally.untold[second]++;
        }
      }
    }
    return tally;
  }

  private static CommitEntry increment(KafkaGroupOffsets offsets, int partition) {
    long now = committed(offsets, "counter", partition);
    return swap(partition, new Expected.Offset(now), now + 1);
  }

  /**
   * A stranger commits without any guard, at a random moment of each swap; the cluster's own log
   * tells what came after what.
   */
  @Test
  void swapsAgainstPlainWriter_followWhatTheyExpected() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    KafkaGroupOffsets offsets = cluster.open();
    commit(offsets, request("swaps", anywhere(0, 0)));

    List<long[]> swapped = new ArrayList<>();
    int refused = 0;
    for (int i = 0; i < SWAPS; i++) {
      long now = committed(offsets, "swaps", 0);
      Future<?> stranger = disturb(1_000_000 + i, random.nextInt(MAX_DELAY_NANOS));
      long next = 2_000_000 + i;
      CommitResult result =
          commit(offsets, request("swaps", swap(0, new Expected.Offset(now), next))).get(0);
      stranger.get(30, SECONDS);
      if (result.outcome() == CommitOutcome.COMMITTED) {
        swapped.add(new long[] {now, next});
      } else {
        assertThat(result.failure().orElseThrow().reason()).isEqualTo(ErrorReason.CONFLICT);
        refused++;
      }
    }

    List<Long> log = OffsetsLog.read(cluster, "swaps", P0);
    assertThat(swapped).as("seed %d", seed).isNotEmpty();
    assertThat(refused).as("seed %d", seed).isPositive();
    for (long[] swap : swapped) {
      int at = log.indexOf(swap[1]);
      assertThat(at).as("swap to %d, seed %d", swap[1], seed).isPositive();
      assertThat(log.get(at - 1)).as("before %d, seed %d", swap[1], seed).isEqualTo(swap[0]);
    }
  }

  private Future<?> disturb(long offset, long afterNanos) {
    long atNanos = System.nanoTime() + afterNanos;
    return threads.submit(
        () -> {
          while (System.nanoTime() - atNanos < 0) {
            Thread.onSpinWait(); // The moments that matter are some microseconds long.
          }
          await(
              cluster
                  .admin
                  .alterConsumerGroupOffsets("swaps", Map.of(P0, new OffsetAndMetadata(offset)))
                  .all()
                  .toCompletionStage());
        });
  }

  /** What a transaction has yet to decide is neither none nor decided. */
  @Test
  void openTransactionOfAStranger_isNotTakenForNone() {
    KafkaGroupOffsets offsets = cluster.open();
    KafkaGroupOffsets impatient =
        cluster.open(Duration.ofSeconds(4), KafkaGroupOptions.usualTransactionPrefix("cluster"));
    commit(offsets, request("open", write(0, 3)));
    try (var stranger =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                cluster.broker.bootstrapServers(),
                "transactional.id",
                "stranger"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      stranger.initTransactions();
      stranger.beginTransaction();
      stranger.sendOffsetsToTransaction(
          Map.of(P0, new OffsetAndMetadata(8)), ForeignMember.of("open"));

      assertThat(committed(offsets, "open", 0)).isEqualTo(3);
      assertThatThrownBy(
              () -> commit(impatient, request("open", swap(0, new Expected.Offset(3), 4))))
          .isInstanceOfSatisfying(
              WhenceException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(ErrorReason.LEADER_UNAVAILABLE);
                assertThat(e.isOutcomeUnknown()).as("outcome is unknown").isFalse();
              })
          .hasMessageContaining("has not ended");

      stranger.commitTransaction();
    }
    CommitResult result =
        commit(offsets, request("open", swap(0, new Expected.Offset(3), 4))).get(0);
    assertThat(result.failure().orElseThrow().reason()).isEqualTo(ErrorReason.CONFLICT);
    assertThat(result.now()).isEqualTo(8);
  }

  /**
   * The next commit of any server ends what a dead one left open, without waiting for it: that
   * would take ten minutes.
   */
  @Test
  void openTransactionOfADeadServer_isEndedByTheNext() {
    KafkaGroupOffsets offsets = cluster.open();
    commit(offsets, request("dead", write(0, 3)));
    GroupProducers dead =
        new GroupProducers(
            new KafkaGroupOptions(
                "cluster",
                Map.of(
                    "bootstrap.servers",
                    cluster.broker.bootstrapServers(),
                    "transaction.timeout.ms",
                    "600000"),
                GroupCluster.TIME_OUT,
                InstantSource.system(),
                Runnable::run,
                KafkaGroupOptions.usualTransactionPrefix("cluster"),
                new KafkaGroupOptions.RequestMemory(Duration.ofMinutes(1), 1)));
    var producer = dead.open("dead");
    producer.kafka().beginTransaction();
    producer
        .kafka()
        .sendOffsetsToTransaction(Map.of(P0, new OffsetAndMetadata(9)), ForeignMember.of("dead"));
    producer.discard();

    CommitResult result = commit(offsets, request("dead", write(0, 4))).get(0);

    assertThat(result.outcome()).isEqualTo(CommitOutcome.COMMITTED);
    assertThat(result.before()).isEqualTo(3);
    assertThat(committed(offsets, "dead", 0)).isEqualTo(4);
  }
}
