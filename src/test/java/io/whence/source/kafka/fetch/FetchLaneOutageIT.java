package io.whence.source.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.testkit.KafkaBroker;
import io.whence.testkit.KafkaCluster;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

/** Brokers that go, hang, lie or come back. */
class FetchLaneOutageIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void brokerKilledAndRestarted_healsByItself() {
    try (KafkaBroker broker = KafkaBroker.start(Map.of());
        TestTopics topics = TestTopics.of(broker.bootstrapServers());
        TestLane lane = TestLane.start(broker.bootstrapServers())) {
      TopicId id = topics.create("t", 2, Map.of());
      topics.produce("t", 0, 100);
      List<RecordingFeed> feeds = lane.followAll("t", 2, id);
      await().atMost(LIMIT).until(() -> feeds.get(0).nextOffset() == 100);

      broker.kill();
      await()
          .atMost(LIMIT)
          .until(() -> reasons(feeds.get(1)).contains(ErrorReason.LEADER_UNAVAILABLE));
      assertBrokersAreNotFlooded(lane);
      broker.restart();
      topics.produce("t", 0, 50);
      topics.produce("t", 1, 50);

      await()
          .atMost(LIMIT)
          .until(() -> feeds.get(0).nextOffset() == 150 && feeds.get(1).nextOffset() == 50);
      assertThat(feeds.get(0).bytes()).isEqualTo(TestTopics.bytes(broker.logDir(), "t", 0));
      assertThat(lane.events.laneFailures).isEmpty();
      await().atMost(LIMIT).until(() -> feeds.stream().noneMatch(RecordingFeed::isFailing));
    }
  }

  @Test
  void oneBrokerOfTwo_pausedKilledAndBack_othersGoOn() {
    try (KafkaCluster cluster = KafkaCluster.start(Map.of());
        TestTopics topics = TestTopics.of(cluster.bootstrapServers());
        TestLane lane = TestLane.start(cluster.bootstrapServers(), TestLane.IMPATIENT)) {
      TopicId id = topics.create(new NewTopic("alone", Map.of(0, List.of(2), 1, List.of(3))));
      TopicId both = topics.create(new NewTopic("both", Map.of(0, List.of(2, 3))));
      RecordingFeed onTwo = lane.follow("alone", 0, id);
      RecordingFeed onThree = lane.follow("alone", 1, id);
      RecordingFeed onBoth = lane.follow("both", 0, both);
      topics.produce("alone", 0, 10);
      topics.produce("alone", 1, 10);
      topics.produce("both", 0, 10);
      List<RecordingFeed> feeds = List.of(onTwo, onThree, onBoth);
      await().atMost(LIMIT).until(() -> feeds.stream().allMatch(feed -> feed.nextOffset() == 10));

      cluster.broker(2).pause();
      topics.produce("alone", 1, 10);
      await().atMost(LIMIT).until(() -> onThree.nextOffset() == 20);
      await().atMost(LIMIT).until(() -> messages(onTwo).contains("does not answer"));
      // The controller misses it after a while, and the other replica leads.
      topics.produce("both", 0, 10);
      await().atMost(LIMIT).until(() -> onBoth.nextOffset() == 20);
      await().atMost(LIMIT).until(() -> messages(onTwo).contains("has no leader"));
      assertThat(reasons(onTwo)).containsOnly(ErrorReason.LEADER_UNAVAILABLE);
      assertBrokersAreNotFlooded(lane);
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> assertThat(feeds).filteredOn(RecordingFeed::isFailing).containsExactly(onTwo));

      cluster.broker(2).resume();
      topics.produce("alone", 0, 10);
      await().atMost(LIMIT).until(() -> onTwo.nextOffset() == 20);
      cluster.broker(3).kill();
      cluster.broker(3).restart();
      topics.produce("alone", 1, 10);
      await().atMost(LIMIT).until(() -> onThree.nextOffset() == 30);
      assertThat(onThree.bytes())
          .isEqualTo(TestTopics.bytes(cluster.broker(3).logDir(), "alone", 1));
      assertThat(lane.events.laneFailures).isEmpty();
    }
  }

  private static void assertBrokersAreNotFlooded(TestLane lane) {
    int before = lane.events.requests();
    await()
        .during(Duration.ofSeconds(2))
        .atMost(LIMIT)
        .until(() -> lane.events.requests() - before < 20);
  }

  private static String messages(RecordingFeed feed) {
    return feed.faults().toString();
  }

  @Test
  void uncleanElection_anotherHistory_divergesBeforeAnythingIsRead() {
    Map<String, String> settings = Map.of("unclean.leader.election.enable", "true");
    try (KafkaCluster cluster = KafkaCluster.start(settings);
        TestTopics topics = TestTopics.of(cluster.bootstrapServers());
        TestLane lane = TestLane.start(cluster.bootstrapServers())) {
      TopicId id =
          topics.create(
              new NewTopic("t", Map.of(0, List.of(2, 3)))
                  .configs(Map.of("unclean.leader.election.enable", "true")));
      RecordingFeed feed = lane.follow("t", 0, id);
      topics.produce("t", 0, 10, 10, Map.of("batch.size", "0"));
      cluster.broker(3).stop();
      topics.produce("t", 0, 5, 10, Map.of("batch.size", "0"));
      await().atMost(LIMIT).until(() -> feed.nextOffset() == 15);
      cluster.broker(2).kill();
      cluster.broker(3).restart();
      topics.produce("t", 0, 20, 10, Map.of("batch.size", "0"));

      await().atMost(LIMIT).until(() -> feed.nextOffset() == 30);
      assertThat(feed.events()).contains("diverged 0 10");
      byte[] theirs = TestTopics.bytes(cluster.broker(3).logDir(), "t", 0);
      byte[] ours = feed.bytes();
      int behind = ours.length - theirs.length;
      // 15 of the old history, then what the new leader has from offset 10 on.
      assertThat(behind).isPositive();
      assertThat(tail(ours, theirs.length * 20 / 30))
          .isEqualTo(tail(theirs, theirs.length * 20 / 30));
    }
  }

  @Test
  void leaderThatMovesUnderLoad_nothingIsMissedOrRepeated() throws Exception {
    try (KafkaCluster cluster = KafkaCluster.start(Map.of());
        TestTopics topics = TestTopics.of(cluster.bootstrapServers());
        TestLane lane = TestLane.start(cluster.bootstrapServers())) {
      TopicId id = topics.create(new NewTopic("t", Map.of(0, List.of(2, 3))));
      RecordingFeed feed = lane.follow("t", 0, id);
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> topics.produce("t", 0, 60_000, 100, Map.of("batch.size", "2000")));
      for (int move = 0; move < 6; move++) {
        int leader = KafkaCluster.BROKERS.get((move + 1) % 2);
        topics.moveLeader("t", leader, KafkaCluster.BROKERS.get(move % 2));
        long seen = feed.nextOffset();
        await().atMost(LIMIT).until(() -> load.isDone() || feed.nextOffset() > seen);
      }
      load.get(60, TimeUnit.SECONDS);
      await().atMost(LIMIT).until(() -> feed.nextOffset() == topics.end("t", 0));

      assertThat(feed.nextOffset()).isGreaterThanOrEqualTo(60_000);
      assertThat(feed.bytes()).isEqualTo(TestTopics.bytes(cluster.broker(2).logDir(), "t", 0));
      // What lasts for a moment only may be told or not.
      assertThat(reasons(feed)).allMatch(ErrorReason.LEADER_UNAVAILABLE::equals);
      assertThat(feed.events()).containsOnly("position");
    }
  }

  private static byte[] tail(byte[] bytes, int length) {
    return Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
  }

  @Test
  void silentServer_timesOut_andCloseIsQuick() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      TestLane lane = TestLane.start("127.0.0.1:" + silent.getLocalPort(), TestLane.IMPATIENT);
      RecordingFeed feed = lane.follow("t", 0, TopicId.parse("AAAAAAAAAAAAAAAAAAAAAQ"));
      await().atMost(LIMIT).until(() -> feed.events().contains("position"));
      await().atMost(LIMIT).until(() -> reasons(feed).contains(ErrorReason.LEADER_UNAVAILABLE));
      assertQuickClose(lane);
    }
  }

  @Test
  void serverOfAnotherProtocol_isNotReadIntoMemory() throws Exception {
    try (ServerSocket web = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> answerEachWithText(web), "web");
      server.setDaemon(true);
      server.start();
      TestLane lane = TestLane.start("127.0.0.1:" + web.getLocalPort());
      lane.follow("t", 0, TopicId.parse("AAAAAAAAAAAAAAAAAAAAAQ"));
      // "HTTP" is a size of 1.2 GB to a Kafka client.
      await()
          .during(Duration.ofSeconds(2))
          .atMost(LIMIT)
          .until(() -> lane.threads.stream().allMatch(Thread::isAlive));
      assertQuickClose(lane);
    }
  }

  private static void answerEachWithText(ServerSocket web) {
    while (!web.isClosed()) {
      try {
        Socket socket = web.accept();
        OutputStream out = socket.getOutputStream();
        out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
      } catch (IOException e) {
        // The client has gone, or the test is over.
        continue;
      }
    }
  }

  @Test
  void unknownHost_isToldAndRetried() {
    // No label may have 64 letters: no resolver is asked, which might take its time.
    TestLane lane = TestLane.start("a".repeat(64) + ".invalid:9092");
    RecordingFeed feed = lane.follow("t", 0, TopicId.parse("AAAAAAAAAAAAAAAAAAAAAQ"));
    await().atMost(LIMIT).until(() -> lane.events.laneFailures.size() > 1);
    await().atMost(LIMIT).until(() -> reasons(feed).contains(ErrorReason.LEADER_UNAVAILABLE));
    assertQuickClose(lane);
  }

  private static void assertQuickClose(TestLane lane) {
    long start = System.nanoTime();
    lane.close();
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isLessThan(6_000);
    await().atMost(LIMIT).until(() -> lane.threads.stream().noneMatch(Thread::isAlive));
  }

  private static List<ErrorReason> reasons(RecordingFeed feed) {
    return feed.faults().stream().map(FetchFault::reason).toList();
  }
}
