package io.whence.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.source.SourceCatalog;
import io.whence.testkit.Directories;
import io.whence.v1.WatchTimestampResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Appends, deletions and cancellations against the begin of watches: no wake-up may get lost. */
class WatchRacesTest {
  private static final long NOW = 1_717_200_000_000L;
  private static final int ROUNDS = 500;

  private final Path directory = Directories.temporary("whence-watch-races");
  private final ExecutorService workers = Executors.newFixedThreadPool(2);
  private final ExecutorService writers = Executors.newFixedThreadPool(2);
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private ProbedSource source;
  private Watches watches;

  @BeforeEach
  void open() throws IOException {
    source = new ProbedSource(directory, NOW);
    source.createTopic("t", 2);
    watches =
        new Watches(
            workers,
            new LogLookups(),
            () -> Instant.ofEpochMilli(NOW),
            new CallLimits(100, 1, 1, 1, 1, Duration.ofMinutes(2)),
            new WatchLimits(400, 4_000, Duration.ofSeconds(30)),
            () -> new OpenSources(new SourceCatalog(List.of(source)), Map.of()),
            CallListener.NOOP);
  }

  @AfterEach
  void close() throws IOException {
    workers.shutdownNow();
    writers.shutdownNow();
    source.close();
    Directories.delete(directory);
  }

  @Test
  void appendsWhileWatchesBegin_allAreTold() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      long time = NOW + round;
      int pause = random.nextInt(20_000);
      List<Future<?>> appends = new ArrayList<>();
      for (int partition = 0; partition < 2; partition++) {
        int to = partition;
        appends.add(
            writers.submit(
                () -> {
                  spin(pause);
                  source.append("t", to, time);
                }));
      }
      spin(random.nextInt(20_000));
      RecordingCall<WatchTimestampResponse> call = begin(time);
      for (Future<?> append : appends) {
        append.get(20, TimeUnit.SECONDS);
      }
      Awaitility.await("round " + round + " of seed " + seed)
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofSeconds(20))
          .until(call::isCompleted);
      assertThat(call.messages()).as("seed %d", seed).hasSize(4);
    }
    assertNothingIsLeft();
  }

  @Test
  void topicsDeletedWhileWatchesBegin_allEndAndNothingIsLeft() throws Exception {
    for (int round = 0; round < 40; round++) {
      String topic = "gone-" + round;
      source.createTopic(topic, 2);
      int pause = random.nextInt(2_000_000);
      Future<?> deletion =
          writers.submit(
              () -> {
                spin(pause);
                source.deleteTopic(topic);
              });
      RecordingCall<WatchTimestampResponse> call = new RecordingCall<>();
      watches.begin(WatchHarness.request(WatchHarness.queryOf(topic, NOW)), call);
      deletion.get(20, TimeUnit.SECONDS);
      Awaitility.await("round " + round + " of seed " + seed)
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofSeconds(20))
          .until(() -> call.isCompleted() || call.failure().isPresent());
    }
    assertNothingIsLeft();
  }

  @Test
  void cancelledWhileTheyBegin_nothingIsLeft() {
    for (int round = 0; round < ROUNDS; round++) {
      RecordingCall<WatchTimestampResponse> call = begin(NOW + ROUNDS);
      spin(random.nextInt(50_000));
      call.cancel();
    }
    assertNothingIsLeft();
  }

  private RecordingCall<WatchTimestampResponse> begin(long time) {
    RecordingCall<WatchTimestampResponse> call = new RecordingCall<>();
    watches.begin(WatchHarness.request(WatchHarness.query(time)), call);
    return call;
  }

  private void assertNothingIsLeft() {
    Awaitility.await("seed " + seed)
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              assertThat(watches.watchCount()).isZero();
              assertThat(watches.partitionCount()).isZero();
              assertThat(source.watchCount()).isZero();
            });
  }

  private static void spin(int nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
