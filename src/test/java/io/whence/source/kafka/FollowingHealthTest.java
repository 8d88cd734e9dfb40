package io.whence.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.LogEvents;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.source.SourceHealth;
import io.whence.source.SourceHealth.Partitions;
import io.whence.source.SourceHealth.State;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchedBounds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowingHealthTest {
  private static final Duration MAX = Duration.ofSeconds(30);
  private static final FetchFault AWAY =
      new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "broker 1 can't be reached");
  private static final FetchFault DENIED =
      new FetchFault(ErrorReason.NOT_AUTHORIZED, "may not be read");

  @TempDir private Path directory;
  private long nanos;
  private final List<FollowedPartition> partitions = new ArrayList<>();
  private final FollowingHealth health = new FollowingHealth(MAX, () -> System.nanoTime() + nanos);

  @BeforeEach
  void open() throws IOException {
    LogEnvironment environment =
        new LogEnvironment(
            InstantSource.system(), Runnable::run, deletion -> {}, 1 << 20, LogEvents.NOOP);
    for (int i = 0; i < 2; i++) {
      FollowedLog log =
          FollowedLog.open(
              directory.resolve("orders-" + i),
              new TopicPartition("orders", i),
              LogConfig.of(Map.of()),
              environment,
              FollowedLogOptions.startingAt(0));
      partitions.add(
          new FollowedPartition(
              "prod", new TopicId(new UUID(1, 2)), log, new BoundsQuestion(null, null), MAX));
    }
  }

  @AfterEach
  void close() throws IOException {
    for (FollowedPartition partition : partitions) {
      partition.log().close();
    }
  }

  /** Lets the leader of an empty partition say that it is empty, some time ago. */
  private void confirm(int partition, long agoMs) {
    long asOf = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(agoMs);
    partitions.get(partition).unchanged(new FetchedBounds(0, 0, 0, 0, asOf));
  }

  /** Lets the leader say that there is more than what is followed. */
  private void fetchSome(int partition) {
    partitions.get(partition).unchanged(new FetchedBounds(0, 9, 9, 0, System.nanoTime()));
  }

  private SourceHealth look() {
    return health.look(true, true, null, partitions);
  }

  private State stateBy(FollowingHealth other) {
    return other.look(true, true, null, partitions).state();
  }

  @Test
  void clusterThatTellsNothing_isLoading_thenNotServing() {
    assertThat(health.look(false, false, null, List.of()).state()).isEqualTo(State.LOADING);

    SourceHealth away = health.look(false, false, "nobody answers", List.of());

    assertThat(away.state()).isEqualTo(State.NOT_SERVING);
    assertThat(away.reason()).contains("nobody answers");
  }

  @Test
  void topicsAreTold_isLoading_whileTheirLogsAreOpened() {
    SourceHealth opening = health.look(true, false, null, partitions.subList(0, 1));

    assertThat(opening.state()).isEqualTo(State.LOADING);
    assertThat(opening.reason()).isEqualTo("the logs of its topics are being opened");
    assertThat(opening.partitions().followed()).as("so far").isEqualTo(1);
    assertThat(health.look(true, false, "could not open", List.of()).state())
        .isEqualTo(State.NOT_SERVING);
  }

  @Test
  void partitionsAreFollowedToTheirEnd_ready() {
    confirm(0, 0);
    assertThat(look().state()).isEqualTo(State.LOADING);
    assertThat(look().reason()).isEqualTo("orders-1: is not followed to its end yet");

    confirm(1, 0);

    assertThat(look().state()).isEqualTo(State.READY);
    assertThat(look().reason()).isEmpty();
    assertThat(look().partitions().oldestStalenessMs().orElseThrow()).isLessThan(MAX.toMillis());
    assertThat(look().partitions())
        .usingRecursiveComparison()
        .ignoringFields("oldestMs")
        .isEqualTo(new Partitions(2, 2, 2, 0, 0, -1));
  }

  @Test
  void emptyCluster_isReady() {
    assertThat(health.look(true, true, null, List.of()).state()).isEqualTo(State.READY);
  }

  @Test
  void onePartitionFails_stale_withItsReason() {
    confirm(0, 0);
    confirm(1, 0);
    partitions.get(1).failed(AWAY);

    assertThat(look().state()).isEqualTo(State.STALE);
    assertThat(look().reason()).isEqualTo("orders-1: broker 1 can't be reached");
    assertThat(look().partitions().failing()).isEqualTo(1);
    assertThat(look().partitions().answering()).isEqualTo(2);
  }

  @Test
  void oneIsUnconfirmedForTooLong_stale_allAre_notServing() {
    confirm(0, MAX.toMillis() + 9_000);
    confirm(1, MAX.toMillis() + 5_000);
    assertThat(look().state()).isEqualTo(State.NOT_SERVING);
    assertThat(look().partitions().oldestMs()).isGreaterThanOrEqualTo(39_000);

    confirm(0, 0);
    assertThat(look().state()).isEqualTo(State.STALE);
    assertThat(look().reason()).startsWith("orders-1: was last confirmed 35");
    assertThat(look().partitions().answering()).isEqualTo(1);

    confirm(0, 0);
    confirm(1, 0);
    assertThat(look().state()).isEqualTo(State.READY);
  }

  @Test
  void newPartitionAfterTheFirstEnd_isStale_notLoading() {
    confirm(0, 0);
    assertThat(health.look(true, true, null, partitions.subList(0, 1)).state())
        .isEqualTo(State.READY);

    assertThat(look().state()).isEqualTo(State.STALE);
    assertThat(look().partitions().caughtUp()).isEqualTo(1);
  }

  @Test
  void firstTopicOfAnEmptyCluster_isStale_untilItIsFollowed_notServing_ifItFails() {
    assertThat(health.look(true, true, null, List.of()).state()).isEqualTo(State.READY);
    assertThat(look().state()).isEqualTo(State.STALE);
    assertThat(look().partitions().answering()).isZero();

    partitions.get(0).failed(AWAY);
    assertThat(look().state()).isEqualTo(State.STALE);
    partitions.get(1).failed(AWAY);
    assertThat(look().state()).isEqualTo(State.NOT_SERVING);

    confirm(0, 0);
    confirm(1, 0);
    assertThat(look().state()).isEqualTo(State.READY);
  }

  @Test
  void allFailAtTheStart_notServing_thenLoading_untilFollowed() {
    partitions.get(0).failed(AWAY);
    partitions.get(1).failed(AWAY);
    assertThat(look().state()).isEqualTo(State.NOT_SERVING);

    fetchSome(0);
    fetchSome(1);
    assertThat(look().state()).as("they are back, far from their end").isEqualTo(State.LOADING);

    confirm(0, 0);
    assertThat(look().state()).isEqualTo(State.LOADING);
    confirm(1, 0);
    assertThat(look().state()).isEqualTo(State.READY);
  }

  @Test
  void oneFailsAtTheStart_isWaitedFor_asLongAsAnswersMayBeOld() {
    FollowingHealth hourly =
        new FollowingHealth(Duration.ofHours(1), () -> System.nanoTime() + nanos);
    confirm(0, 0);
    partitions.get(1).failed(AWAY);
    nanos = TimeUnit.MINUTES.toNanos(30);
    assertThat(stateBy(hourly)).isEqualTo(State.LOADING);

    fetchSome(1);
    nanos = TimeUnit.MINUTES.toNanos(61);
    assertThat(stateBy(hourly)).as("it comes").isEqualTo(State.LOADING);

    nanos = 0;
    partitions.get(1).failed(AWAY);
    partitions.get(1).failed(new FetchFault(ErrorReason.LEADER_UNAVAILABLE, "still away"));
    assertThat(stateBy(hourly)).as("fails again, for a new time").isEqualTo(State.LOADING);
    nanos = TimeUnit.MINUTES.toNanos(61);
    assertThat(stateBy(hourly)).as("whoever looked meanwhile").isEqualTo(State.STALE);
    fetchSome(1);
    assertThat(stateBy(hourly)).as("never loading again").isEqualTo(State.STALE);
  }

  @Test
  void oneMayNotBeRead_isNotWaitedFor() {
    confirm(0, 0);
    partitions.get(1).failed(DENIED);

    assertThat(look().state()).isEqualTo(State.STALE);
  }

  @Test
  void topicsNotRefreshed_isStale() {
    confirm(0, 0);
    confirm(1, 0);

    SourceHealth now = health.look(true, true, "timed out", partitions);

    assertThat(now.state()).isEqualTo(State.STALE);
    assertThat(now.reason()).endsWith("timed out");
  }

  @Test
  void removals_areUnseenForAsLongAsOfTheOldest_ifAnyWasLookedAt() {
    assertThat(look().partitions().removalsUnseenMs()).isNegative();

    partitions.get(0).removalsSeen(System.nanoTime() - TimeUnit.SECONDS.toNanos(50));
    assertThat(look().partitions().removalsUnseenMs()).isBetween(50_000L, 60_000L);

    partitions.get(1).removalsSeen(System.nanoTime() - TimeUnit.SECONDS.toNanos(90));
    assertThat(look().partitions().removalsUnseenMs()).isBetween(90_000L, 100_000L);
  }
}
