package io.whence.source.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import io.whence.record.BatchFormat;
import io.whence.source.kafka.fetch.Followed.Ticket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AnswerReaderTest {
  private static final long NOW_MS = 1_000_000;

  private final FeedWorker worker = new FeedWorker();
  private final Thread thread = new Thread(worker, "worker");
  private final RecordingFeed feed = new RecordingFeed("t", 0, new TopicId(new UUID(0, 1)));
  private final LaneParts parts =
      new LaneParts("test", FetchLimits.DEFAULT, FetchEvents.NOOP, worker, new LaneInbox());
  private final Map<TopicPartition, FetchedBounds> sessionBounds = new HashMap<>();
  private final AnswerReader reader = new AnswerReader("broker 1", sessionBounds, 77, NOW_MS);
  private Followed followed;

  /** Answers at once, as the lane's threads would. */
  private final class AtOnce implements FeedHandle.Listener {
    @Override
    public void positioned(FeedHandle one, int generation, FetchPosition position) {
      followed.positioned(generation, position);
    }

    @Override
    public void failed(FeedHandle one, int generation, int inRow, RuntimeException failure) {
      followed.feedFailed(generation, inRow, failure, NOW_MS);
    }
  }

  @BeforeEach
  void follow() {
    followed = new Followed(new FeedHandle(feed, worker, new AtOnce()), parts);
    followed.feed().position(followed.expectPosition()).run();
  }

  @AfterEach
  void stop() throws InterruptedException {
    worker.stop();
    if (thread.getState() == Thread.State.NEW) {
      thread.start();
    }
    thread.join();
  }

  private static PartitionData data(Errors error) {
    return new PartitionData()
        .setErrorCode(error.code())
        .setHighWatermark(10)
        .setLastStableOffset(9)
        .setLogStartOffset(1);
  }

  private static MemoryRecords records(int count) {
    SimpleRecord[] records = new SimpleRecord[count];
    for (int i = 0; i < count; i++) {
      records[i] = new SimpleRecord(5, "v".getBytes(StandardCharsets.UTF_8));
    }
    return MemoryRecords.withRecords(0, Compression.NONE, 3, records);
  }

  /** Returns whether the feed was told of a fault. */
  private boolean isFailing() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    worker.submit(() -> done.complete(null));
    if (thread.getState() == Thread.State.NEW) {
      thread.start();
    }
    done.orTimeout(30, TimeUnit.SECONDS).join();
    return feed.isFailing();
  }

  private void deliver() {
    reader.deliveries().forEach(Runnable::run);
  }

  @Test
  void records_moveThePosition_andComeWithTheBounds() {
    reader.read(followed.ticket(), data(Errors.NONE).setRecords(records(4)));
    deliver();

    assertThat(followed.ticket().position()).isEqualTo(new FetchPosition(4, 3));
    assertThat(feed.nextOffset()).isEqualTo(4);
    assertThat(feed.bounds()).isEqualTo(new FetchedBounds(1, 10, 9, -1, 77));
    assertThat(reader.bytes()).isEqualTo(feed.bytes().length);
  }

  private long waitAfter(RuntimeException failure) {
    followed.feed().position(followed.expectPosition()).run();
    feed.onRecords(
        any -> {
          throw failure;
        });
    reader.read(followed.ticket(), data(Errors.NONE).setRecords(records(4)));
    deliver();
    reader.deliveries().clear();
    return followed.fetchableIn(NOW_MS);
  }

  @Test
  void feedThatThrows_isWaitedFor_longestWhereItDoesNotPass() {
    assertThat(waitAfter(new IllegalStateException("a test"))).isBetween(90L, 110L);
    assertThat(waitAfter(WhenceException.of(ErrorReason.OVERLOADED, "a test")))
        .isBetween(180L, 220L);
    assertThat(waitAfter(WhenceException.of(ErrorReason.UNSUPPORTED, "a test"))).isEqualTo(10_000);
    assertThat(waitAfter(WhenceException.of(ErrorReason.OVERLOADED, "a test"))).isLessThan(1_000);
  }

  @Test
  void absentPartition_isConfirmed_butNotBeforeItsBoundsAreKnown() {
    reader.unchanged(followed.ticket());
    assertThat(reader.deliveries()).isEmpty();
    sessionBounds.put(followed.partition(), new FetchedBounds(1, 2, 2, 0, 5));

    reader.unchanged(followed.ticket());
    deliver();

    assertThat(feed.bounds()).isEqualTo(new FetchedBounds(1, 2, 2, 0, 77));
  }

  @Test
  void answerToAnOldPosition_countsForTheBoundsOnly() {
    Ticket old = followed.ticket();
    followed.forgetPosition();
    followed.feed().position(followed.expectPosition()).run();

    reader.read(old, data(Errors.NONE).setRecords(records(4)));
    reader.read(old, data(Errors.TOPIC_AUTHORIZATION_FAILED));

    assertThat(reader.deliveries()).isEmpty();
    assertThat(sessionBounds).containsKey(followed.partition());
    assertThat(isFailing()).isFalse();
  }

  @Test
  void divergingEpoch_asksForThePosition() {
    feed.moveTo(new FetchPosition(8, 2));
    follow();

    reader.read(
        followed.ticket(),
        data(Errors.NONE).setDivergingEpoch(new EpochEndOffset().setEpoch(1).setEndOffset(6)));
    assertThat(followed.fetchableIn(NOW_MS)).isEqualTo(Long.MAX_VALUE);
    deliver();

    assertThat(feed.events()).endsWith("diverged 1 6", "position");
    assertThat(followed.ticket().position()).isEqualTo(new FetchPosition(6, 1));
    assertThat(followed.fetchableIn(NOW_MS)).isZero();
  }

  @Test
  void outOfRange_again_waitsLonger() {
    long[] waits = new long[4];
    for (int i = 0; i < waits.length; i++) {
      reader.read(followed.ticket(), data(Errors.OFFSET_OUT_OF_RANGE));
      deliver();
      reader.deliveries().clear();
      waits[i] = followed.fetchableIn(NOW_MS);
    }

    assertThat(waits[0]).isZero();
    assertThat(waits[1]).isBetween(90L, 110L);
    assertThat(waits[3]).isBetween(360L, 440L);
    assertThat(feed.events()).contains("outOfRange");
  }

  @Test
  void movedLeader_isTold_andAnUnknownOneAskedFor() {
    PartitionData moved =
        data(Errors.NOT_LEADER_OR_FOLLOWER)
            .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(2).setLeaderEpoch(9));
    reader.read(followed.ticket(), moved);
    assertThat(reader.movedLeaders()).containsOnlyKeys(followed.partition());
    assertThat(reader.isLeaderWanted()).isFalse();
    assertThat(followed.fetchableIn(NOW_MS)).isZero();

    reader.read(followed.ticket(), data(Errors.FENCED_LEADER_EPOCH));
    assertThat(reader.isLeaderWanted()).isTrue();
    assertThat(isFailing()).isFalse();
  }

  @Test
  void brokenHeader_isToldAndWaitedFor_andWhatIsBeforeItIsHandedOver() {
    byte[] good = bytes(records(2));
    ByteBuffer both = ByteBuffer.allocate(2 * good.length).put(good).put(good).flip();
    // The second begins at offset 0 again.
    reader.read(
        followed.ticket(), data(Errors.NONE).setRecords(MemoryRecords.readableRecords(both)));
    deliver();
    assertThat(feed.bytes()).isEqualTo(good);
    good[BatchFormat.MAGIC] = 1;

    reader.read(
        followed.ticket(),
        data(Errors.NONE).setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(good))));

    assertThat(isFailing()).isTrue();
    assertThat(followed.fetchableIn(NOW_MS)).isEqualTo(10_000);
    assertThat(followed.ticket().position()).isEqualTo(new FetchPosition(2, 3));
  }

  private static byte[] bytes(MemoryRecords records) {
    byte[] bytes = new byte[records.sizeInBytes()];
    records.buffer().get(bytes);
    return bytes;
  }

  @Test
  void permissionMissing_isToldAtOnce() {
    reader.read(followed.ticket(), data(Errors.TOPIC_AUTHORIZATION_FAILED));

    assertThat(isFailing()).isTrue();
    assertThat(followed.fetchableIn(NOW_MS)).isEqualTo(60_000);
  }
}
