package io.whence.source.kafka.fetch;

import static io.whence.source.kafka.fetch.TestTopics.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.record.RecordBatch;
import io.whence.testkit.KafkaBroker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a lane gets from a real broker. Guards raises of kafka-clients' version. */
class FetchLaneIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

  private static KafkaBroker broker;
  private static TestTopics topics;

  @BeforeAll
  static void start() {
    broker = KafkaBroker.start(Map.of());
    topics = TestTopics.of(broker.bootstrapServers());
  }

  @AfterAll
  static void stop() {
    topics.close();
    broker.close();
  }

  @Test
  void allCodecs_severalSegments_bytesAreThoseOfTheBroker() {
    TopicId id = topics.create("codecs", 5, Map.of("segment.bytes", "1048576"));
    for (int i = 0; i < CODECS.size(); i++) {
      topics.produce("codecs", i, 20_000, 100, Map.of("compression.type", CODECS.get(i)));
    }

    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      List<RecordingFeed> feeds = lane.followAll("codecs", 5, id);

      for (RecordingFeed feed : feeds) {
        await().atMost(LIMIT).until(() -> feed.nextOffset() == 20_000);
        int partition = feed.partition().partition();
        assertThat(feed.bytes()).isEqualTo(TestTopics.bytes(broker.logDir(), "codecs", partition));
        assertThat(feed.bounds().highWatermark()).isEqualTo(20_000);
        assertThat(feed.bounds().lastStableOffset()).isEqualTo(20_000);
        assertThat(feed.bounds().logStartOffset()).isZero();
        assertThat(feed.bounds().leaderEpoch()).isZero();
        assertThat(feed.faults()).isEmpty();
      }
    }
  }

  @Test
  void transactions_committedAndAborted_markersComeAndOpenOnesHoldTheStableOffset() {
    TopicId id = topics.create("tx", 1, Map.of());
    try (var producer = topics.producer(Map.of("transactional.id", "lane-it"));
        TestLane lane = TestLane.start(broker.bootstrapServers())) {
      RecordingFeed feed = lane.follow("tx", 0, id);
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(record("tx", 0, 0, 10));
      producer.commitTransaction();
      producer.beginTransaction();
      producer.send(record("tx", 0, 1, 10));
      producer.flush();
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(record("tx", 0, 2, 10));
      producer.flush();

      await().atMost(LIMIT).until(() -> feed.nextOffset() == 5);
      assertThat(controls(feed.bytes())).containsExactly(false, true, false, true, false);
      await().atMost(LIMIT).until(() -> feed.bounds().highWatermark() == 5);
      assertThat(feed.bounds().lastStableOffset()).isLessThan(5);
      producer.commitTransaction();
      await().atMost(LIMIT).until(() -> feed.nextOffset() == 6);
      assertThat(feed.bytes()).isEqualTo(TestTopics.bytes(broker.logDir(), "tx", 0));
    }
  }

  private static List<Boolean> controls(byte[] bytes) {
    List<Boolean> controls = new ArrayList<>();
    RecordBatch batch = new RecordBatch();
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    for (int at = 0; at < bytes.length; at += (int) batch.sizeInBytes()) {
      controls.add(batch.wrap(buffer, at).isControl());
    }
    return controls;
  }

  @Test
  void idlePartition_isConfirmedAfresh() {
    TopicId id = topics.create("idle", 2, Map.of());
    topics.produce("idle", 0, 10);
    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      List<RecordingFeed> feeds = lane.followAll("idle", 2, id);
      await().atMost(LIMIT).until(() -> feeds.get(0).unchangedCount() > 1);
      await().atMost(LIMIT).until(() -> feeds.get(1).unchangedCount() > 1);
      assertThat(feeds.get(0).bounds().highWatermark()).isEqualTo(10);
      assertThat(feeds.get(1).bounds().highWatermark()).isZero();
      long first = feeds.get(1).bounds().asOfNanos();
      await().atMost(LIMIT).until(() -> feeds.get(1).bounds().asOfNanos() - first > 0);
    }
  }

  @Test
  void newRecords_comeAtOnce() {
    TopicId id = topics.create("news", 1, Map.of());
    topics.produce("news", 0, 10);
    Duration longPoll = Duration.ofSeconds(5);
    try (TestLane lane =
            TestLane.start(
                broker.bootstrapServers(), TestLane.limits(longPoll, Duration.ofSeconds(10)));
        var producer = topics.producer(Map.of())) {
      RecordingFeed feed = lane.follow("news", 0, id);
      await().atMost(LIMIT).until(() -> feed.nextOffset() == 10);

      long[] delays = new long[11];
      for (int i = 0; i < delays.length; i++) {
        producer.send(record("news", 0, i, 10));
        producer.flush();
        long acknowledged = System.nanoTime();
        long next = 11 + i;
        await()
            .atMost(LIMIT)
            .pollInterval(Duration.ofMillis(1))
            .until(() -> feed.nextOffset() == next);
        delays[i] = feed.lastMoment() - acknowledged;
      }
      Arrays.sort(delays);
      assertThat(Duration.ofNanos(delays[delays.length / 2])).isLessThan(longPoll.dividedBy(2));
    }
  }

  @Test
  void deletedRecords_startRises_andPositionBelowIsOutOfRange() {
    TopicId id = topics.create("trim", 1, Map.of());
    topics.produce("trim", 0, 10, 10, Map.of("batch.size", "0"));
    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      RecordingFeed feed = lane.follow("trim", 0, id);
      await().atMost(LIMIT).until(() -> feed.nextOffset() == 10);
      topics.deleteRecords("trim", 4);
      await().atMost(LIMIT).until(() -> feed.bounds().logStartOffset() == 4);

      RecordingFeed late = new RecordingFeed("trim", 0, id);
      lane.lane.unfollow(feed).toCompletableFuture().join();
      int calls = feed.callCount();
      lane.lane.follow(late);
      await().atMost(LIMIT).until(() -> late.events().contains("outOfRange"));
      int asked = lane.events.asked.get();
      await()
          .atMost(LIMIT)
          .until(() -> late.events().stream().filter("outOfRange"::equals).count() > 3);
      assertThat(lane.events.asked.get() - asked).isLessThan(10);
      late.moveTo(new FetchPosition(4, -1));
      lane.lane.reposition(late);
      await().atMost(LIMIT).until(() -> late.nextOffset() == 10);
      assertThat(feed.callCount()).isEqualTo(calls);
    }
  }

  @Test
  void positionBeyondTheEnd_isOutOfRange() {
    TopicId id = topics.create("beyond", 1, Map.of());
    topics.produce("beyond", 0, 3);
    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      RecordingFeed feed = new RecordingFeed("beyond", 0, id, new FetchPosition(50, -1));
      lane.lane.follow(feed);
      await().atMost(LIMIT).until(() -> feed.events().contains("outOfRange"));
      assertThat(feed.nextOffset()).isEqualTo(50);
    }
  }

  @Test
  void topicCreatedAnew_isNeverRead_andBrokersAreNotFlooded() {
    TopicId id = topics.create("anew", 1, Map.of());
    topics.produce("anew", 0, 5);
    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      RecordingFeed feed = lane.follow("anew", 0, id);
      RecordingFeed other = lane.follow("other", 0, topics.create("other", 1, Map.of()));
      await().atMost(LIMIT).until(() -> feed.nextOffset() == 5);
      topics.delete("anew");
      await().atMost(LIMIT).until(() -> reasons(feed).contains(ErrorReason.LEADER_UNAVAILABLE));
      TopicId second = topics.create("anew", 1, Map.of());
      topics.produce("anew", 0, 20);
      await().atMost(LIMIT).until(() -> reasons(feed).contains(ErrorReason.STALE_TOPIC));

      topics.produce("other", 0, 7);
      await().atMost(LIMIT).until(() -> other.nextOffset() == 7);
      int before = lane.events.requests();
      long start = System.nanoTime();
      await().during(Duration.ofSeconds(2)).atMost(LIMIT).until(() -> feed.nextOffset() == 5);
      int requests = lane.events.requests() - before;
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      // One long poll takes half a second.
      assertThat((long) requests).isLessThan(10 + 4 * seconds);

      lane.lane.unfollow(feed).toCompletableFuture().join();
      RecordingFeed fresh = lane.follow("anew", 0, second);
      await().atMost(LIMIT).until(() -> fresh.nextOffset() == 20);
    }
  }

  private static List<ErrorReason> reasons(RecordingFeed feed) {
    return feed.faults().stream().map(FetchFault::reason).toList();
  }

  @Test
  void slowFeed_holdsTheBrokerBack_andMissesNothing() throws InterruptedException {
    TopicId id = topics.create("slow", 1, Map.of());
    topics.produce("slow", 0, 30_000, 100, Map.of());
    FetchLimits small = limits(256 << 10, 64 << 10);
    CountDownLatch go = new CountDownLatch(1);
    try (TestLane lane =
        TestLane.start(Map.of("bootstrap.servers", broker.bootstrapServers()), small)) {
      RecordingFeed feed = new RecordingFeed("slow", 0, id);
      feed.onRecords(f -> awaitUninterrupted(go));
      lane.lane.follow(feed);
      await().atMost(LIMIT).until(() -> feed.fetchCount() == 1);
      await().during(Duration.ofSeconds(1)).atMost(LIMIT).until(() -> lane.events.asked.get() <= 2);
      go.countDown();
      await().atMost(LIMIT).until(() -> feed.nextOffset() == 30_000);
      assertThat(feed.bytes()).isEqualTo(TestTopics.bytes(broker.logDir(), "slow", 0));
    }
  }

  private static FetchLimits limits(int maxBytes, int partitionMaxBytes) {
    FetchLimits quick = TestLane.QUICK;
    return new FetchLimits(
        maxBytes,
        partitionMaxBytes,
        quick.largestBytes(),
        quick.maxWait(),
        quick.pause(),
        quick.timeout(),
        quick.backoff());
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void throwingFeed_getsTheSameAgain_andOthersGoOn() {
    TopicId id = topics.create("throwing", 2, Map.of());
    topics.produce("throwing", 0, 100);
    topics.produce("throwing", 1, 100);
    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      RecordingFeed feed = new RecordingFeed("throwing", 0, id);
      feed.onRecords(
          f -> {
            if (f.fetchCount() < 4) {
              throw new IllegalStateException("disk full");
            }
          });
      lane.lane.follow(feed);
      RecordingFeed other = lane.follow("throwing", 1, id);

      await().atMost(LIMIT).until(() -> feed.nextOffset() == 100 && other.nextOffset() == 100);
      assertThat(feed.bytes()).isEqualTo(TestTopics.bytes(broker.logDir(), "throwing", 0));
      assertThat(lane.events.feedFailures).hasSize(3);
    }
  }

  @Test
  void oversizeBatch_comesWhole_andSmallAnswersReachAllPartitions() {
    TopicId id = topics.create("sizes", 4, Map.of("max.message.bytes", "4000000"));
    for (int i = 0; i < 4; i++) {
      topics.produce("sizes", i, 3, 900_000, Map.of("max.request.size", "4000000"));
      topics.produce("sizes", i, 5_000);
    }
    try (TestLane lane =
        TestLane.start(
            Map.of("bootstrap.servers", broker.bootstrapServers()), limits(128 << 10, 32 << 10))) {
      List<RecordingFeed> feeds = lane.followAll("sizes", 4, id);
      for (RecordingFeed feed : feeds) {
        await().atMost(LIMIT).until(() -> feed.nextOffset() == 5_003);
        int partition = feed.partition().partition();
        assertThat(feed.bytes()).isEqualTo(TestTopics.bytes(broker.logDir(), "sizes", partition));
        assertThat(feed.faults()).isEmpty();
      }
    }
  }

  @Test
  void unknownPartition_isAFault() {
    TopicId id = topics.create("two", 2, Map.of());
    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      RecordingFeed feed = lane.follow("two", 2, id);
      await().atMost(LIMIT).until(() -> reasons(feed).contains(ErrorReason.UNKNOWN_PARTITION));
    }
  }

  @Test
  void answerThatBreaksTheLane_leavesNoGap() {
    TopicId id = topics.create("broken", 1, Map.of());
    topics.produce("broken", 0, 10);
    try (TestLane lane = TestLane.start(broker.bootstrapServers())) {
      lane.events.failing.set(1);
      RecordingFeed feed = lane.follow("broken", 0, id);
      await().atMost(LIMIT).until(() -> lane.events.laneFailures.size() == 1);
      topics.produce("broken", 0, 10);
      await().atMost(LIMIT).until(() -> feed.nextOffset() == 20);

      assertThat(feed.bytes()).isEqualTo(TestTopics.bytes(broker.logDir(), "broken", 0));
      assertThat(feed.events())
          .as("it is asked where it is")
          .containsExactly("position", "position");
      assertThat(lane.events.feedFailures).isEmpty();
    }
  }

  @Test
  void close_whileAsking_takesSecondsAtMostAndEndsTheThreads() {
    TopicId id = topics.create("close", 1, Map.of());
    TestLane lane = TestLane.start(broker.bootstrapServers());
    RecordingFeed feed = lane.follow("close", 0, id);
    await().atMost(LIMIT).until(() -> feed.unchangedCount() > 0);

    long start = System.nanoTime();
    lane.close();
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

    assertThat(millis).isLessThan(6_000);
    assertThat(lane.threads).hasSize(2);
    await().atMost(LIMIT).until(() -> lane.threads.stream().noneMatch(Thread::isAlive));
    int calls = feed.callCount();
    topics.produce("close", 0, 1);
    await().during(Duration.ofMillis(300)).until(() -> feed.callCount() == calls);
    assertThat(lane.lane.unfollow(feed)).isCompleted();
  }
}
