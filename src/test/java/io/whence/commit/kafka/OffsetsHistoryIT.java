package io.whence.commit.kafka;

import static io.whence.commit.kafka.GroupCluster.await;
import static io.whence.commit.kafka.GroupCluster.commit;
import static io.whence.commit.kafka.Writes.TOPIC;
import static io.whence.commit.kafka.Writes.anywhere;
import static io.whence.commit.kafka.Writes.request;
import static io.whence.commit.kafka.Writes.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.commit.OffsetChange;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the cluster has kept of each group's offsets, in the partition that keeps the group. */
class OffsetsHistoryIT {
  private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);
  private static final TopicPartition P1 = new TopicPartition(TOPIC, 1);

  private static GroupCluster cluster;
  private static KafkaGroupOffsets offsets;

  @BeforeAll
  static void start() {
    cluster = GroupCluster.start(Map.of("offsets.topic.num.partitions", "7"));
    offsets = cluster.open();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void history_isWhatTheClusterHasKept_newestFirst() {
    long startMs = System.currentTimeMillis();
    for (int offset = 1; offset <= 6; offset++) {
      commit(offsets, request("moved", write(0, offset), write(1, 10 - offset / 6)));
      commit(offsets, request("moved-too", write(0, offset + 1)));
    }
    commit(offsets, request("moved", anywhere(0, 2)));

    var histories = offsets.histories("moved", 4, Cancellation.NONE);
    assertThat(histories.apply(P0)).extracting(OffsetChange::after).containsExactly(2L, 6L, 5L, 4L);
    assertThat(histories.apply(P0))
        .extracting(OffsetChange::before)
        .containsExactly(6L, 5L, 4L, 3L);
    assertThat(histories.apply(P0))
        .extracting(OffsetChange::changedAtMs)
        .allSatisfy(ms -> assertThat(ms).isBetween(startMs, System.currentTimeMillis()))
        .isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(histories.apply(new TopicPartition(TOPIC, 2))).isEmpty();
    assertThat(offsets.histories("moved", 100, Cancellation.NONE).apply(P0)).hasSize(7);
    assertThat(offsets.histories("never", 5, Cancellation.NONE).apply(P0)).isEmpty();
  }

  @Test
  void history_endsWhereTheOffsetWasRemoved() {
    commit(offsets, request("removed", write(0, 3), write(1, 4)));
    await(offsets.deleteOffsets("removed", List.of(P0), Cancellation.NONE));
    assertThat(offsets.history("removed", P0, 5, Cancellation.NONE)).isEmpty();
    commit(offsets, request("removed", write(0, 8)));

    var histories = offsets.histories("removed", 5, Cancellation.NONE);
    assertThat(histories.apply(P0)).extracting(OffsetChange::after).containsExactly(8L);
    assertThat(histories.apply(P0)).extracting(OffsetChange::before).containsExactly(-1L);
    assertThat(histories.apply(P1)).extracting(OffsetChange::after).containsExactly(4L);
  }

  @Test
  void group_isFoundInItsPartition() {
    // The last one's hash is the smallest int there is.
    for (String group : List.of("a", "orders-billing", "polygenelubricants")) {
      commit(offsets, request(group, write(0, 4)));
      assertThat(offsets.history(group, P0, 5, Cancellation.NONE))
          .as(group)
          .extracting(OffsetChange::after)
          .containsExactly(4L);
    }
    assertThat("polygenelubricants".hashCode()).isEqualTo(Integer.MIN_VALUE);
  }
}
