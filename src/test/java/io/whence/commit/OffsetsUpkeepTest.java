package io.whence.commit;

import static io.whence.commit.Entries.allowing;
import static io.whence.commit.Entries.entry;
import static io.whence.commit.GroupsDir.TOPIC;
import static io.whence.commit.GroupsDir.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.source.InternalTopic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expiry and compaction while commits come, and of more than one batch can hold. */
class OffsetsUpkeepTest {
  private static final String GROUP = "billing";
  private static final int NUMBER = OffsetsTopic.partitionFor(GROUP, 50);

  @TempDir private Path path;

  private static GroupOptions smallSegments(GroupsDir dir) {
    GroupOptions options = dir.options();
    return new GroupOptions(
        options.clock(),
        options.retention(),
        options.historyLimit(),
        options.requestWindow(),
        options.maxRequests(),
        options.metadataMaxChars(),
        2_000);
  }

  @Test
  void commitBetweenLookAndCompaction_isKept() throws IOException {
    try (GroupsDir dir = GroupsDir.open(path).withTopic(TOPIC, 1, 1_000)) {
      dir.reopen(smallSegments(dir));
      dir.commit(GROUP, entry(0, 1));
      InternalTopic topic = dir.source.internalTopic(OffsetsTopic.NAME).orElseThrow();
      OffsetsCompaction keeper =
          OffsetsCompaction.of(topic.snapshot(NUMBER), 10, 1_000, dir.clock.millis());
      for (int i = 2; i <= 100; i++) {
        dir.commit(GROUP, entry(0, i));
      }
      assertThat(topic.snapshot(NUMBER).segments().size()).isGreaterThan(3);
      topic.compact(NUMBER, keeper);
      dir.reopen();
      assertThat(dir.committed(GROUP, 0)).isEqualTo(100);
    }
  }

  @Test
  void commitThatWaitsForTheDisk_winsAgainstExpiry() {
    Deque<Runnable> flushes = new ArrayDeque<>();
    boolean[] held = {false};
    try (GroupsDir dir =
        GroupsDir.open(
            path,
            flush -> {
              if (held[0]) {
                flushes.add(flush);
              } else {
                flush.run();
              }
            })) {
      dir.withTopic(TOPIC, 1, 1_000);
      dir.commit(GROUP, entry(0, 5));
      dir.clock.advance(Duration.ofDays(7).toMillis());
      held[0] = true;
      CommitReply reply = dir.offsets.commit(request(GROUP, entry(0, 5)), Cancellation.NONE);
      CompletionStage<Integer> expired = dir.offsets.expire();
      assertThat(reply.durable().toCompletableFuture()).isNotDone();
      held[0] = false;
      while (!flushes.isEmpty()) {
        flushes.remove().run();
      }
      assertThat(reply.durable().toCompletableFuture()).isCompleted();
      assertThat(expired.toCompletableFuture().join()).isZero();
      assertThat(dir.committed(GROUP, 0)).isEqualTo(5);
    }
  }

  @Test
  void groupOfManyOffsets_isCommittedExpiredAndDeletedWhateverTheSegments() {
    try (GroupsDir dir = GroupsDir.open(path).withTopic(TOPIC, 3_000, 0)) {
      dir.reopen(smallSegments(dir));
      List<CommitEntry> entries = new ArrayList<>();
      List<TopicPartition> partitions = new ArrayList<>();
      for (int i = 0; i < 3_000; i++) {
        entries.add(allowing(entry(i, 1), false, true));
        partitions.add(new TopicPartition(TOPIC, i));
      }
      CommitRequest all = request(GROUP, entries.toArray(CommitEntry[]::new));
      dir.commit(all);
      assertThat(dir.offsets.group(GROUP).orElseThrow().partitions()).isEqualTo(partitions);
      dir.clock.advance(Duration.ofDays(7).toMillis());
      assertThat(dir.offsets.expire().toCompletableFuture().join()).isEqualTo(3_000);
      assertThat(dir.offsets.group(GROUP)).isEmpty();
      dir.commit(all);
      assertThat(dir.offsets.deleteGroup(GROUP, Cancellation.NONE).toCompletableFuture().join())
          .isEqualTo(3_000);
      assertThat(dir.offsets.groups()).isEmpty();
    }
  }

  @Test
  void clockThatStepsBack_keepsRequestsForTheirTimeAndNoLonger() {
    try (GroupsDir dir = GroupsDir.open(path).withTopic(TOPIC, 1, 1_000)) {
      dir.clock.advance(Duration.ofDays(365).toMillis());
      dir.commit(request(GROUP, "future", entry(0, 1)));
      dir.clock.advance(-Duration.ofDays(365).toMillis());
      dir.commit(request(GROUP, "now", entry(0, 2)));
      assertThat(dir.commit(request(GROUP, "future", entry(0, 1))).replayed()).isTrue();
      assertThat(dir.commit(request(GROUP, "now", entry(0, 2))).replayed()).isTrue();
      dir.clock.advance(Duration.ofMinutes(15).toMillis());
      dir.offsets.expire().toCompletableFuture().join();
      assertThat(dir.offsets.figures().requests()).isZero();
    }
  }

  @Test
  void dryRun_makesNoTopic() {
    try (GroupsDir dir = GroupsDir.open(path).withTopic(TOPIC, 1, 10)) {
      CommitRequest dry =
          new CommitRequest(
              GROUP, List.of(entry(0, 5)), "", false, true, "tester", ChangeCause.COMMIT);
      assertThat(dir.commit(dry).results().get(0).now()).isEqualTo(5);
      assertThat(dir.source.internalTopic(OffsetsTopic.NAME)).isEmpty();
    }
  }
}
