package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.commit.RecordedOp.Answer;
import io.whence.commit.RecordedOp.Ask;
import io.whence.log.LogSnapshot;
import io.whence.model.TopicPartition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many callers at once, with random guards, retries and deletions, on a disk that works and on one
 * that often does not: what they were answered could have been answered to them one after the
 * other, in the order of the log. {@link HistoryChecker} says how that is decided, and why its
 * answer is exact; that it can refuse is shown by {@code HistoryCheckerTest}. Each partition of the
 * offsets topic is checked by itself: what is linearizable in every part is so as a whole.
 */
class CommitLinearizabilityTest {
  private static final int CALLERS = 32;
  private static final int OPS = Integer.getInteger("whence.linearizability.ops", 10_000);
  private static final int SEGMENT_BYTES = 50_000;

  @TempDir private Path path;
  private final long seed = Long.getLong("whence.seed", System.nanoTime());

  @Test
  void oneGroup_isLinearizable() throws Exception {
    check(List.of("billing"), false);
  }

  @Test
  void manyGroups_areLinearizable() throws Exception {
    check(List.of("a", "b", "c", "test", "polygenelubricants"), false);
  }

  @Test
  void oneGroupOnADiskThatFails_isLinearizable() throws Exception {
    check(List.of("billing"), true);
  }

  @Test
  void manyGroupsOnADiskThatFails_areLinearizable() throws Exception {
    // Two partitions, of two groups each.
    check(List.of("group-0", "group-86", "group-1", "group-50"), true);
  }

  private void check(List<String> groups, boolean flaky) throws Exception {
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    FlakyDisk disk = new FlakyDisk(random.nextLong());
    ExecutorService flusher = Executors.newFixedThreadPool(2);
    try (GroupsDir dir = GroupsDir.open(path, flusher, disk)) {
      dir.withTopic(GroupsDir.TOPIC, RandomCommits.PARTITIONS, RandomCommits.RECORDS);
      CommitTraffic traffic = new CommitTraffic(GroupsDir.START_MS, groups);
      dir.reopen(options(traffic));
      traffic.call(dir.offsets, new RecordedOp.Commit(first(groups.get(0))));
      disk.setFlaky(flaky);
      run(dir.offsets, traffic, random);
      disk.setFlaky(false);
      checkHistory(dir, traffic, groups);
      assertVariety(traffic.recorded(), flaky);
      dir.reopen();
      replayRequests(dir, traffic);
      checkHistory(dir, traffic, groups);
    } finally {
      flusher.shutdownNow();
    }
  }

  private static CommitRequest first(String group) {
    return GroupsDir.request(group, Entries.entry(0, 0));
  }

  private static GroupOptions options(CommitTraffic clock) {
    return new GroupOptions(
        clock, Duration.ofDays(7), 10, Duration.ofHours(1), 100_000, 4_096, SEGMENT_BYTES);
  }

  private static void run(GroupOffsets offsets, CommitTraffic traffic, Random random)
      throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        long seed = random.nextLong();
        running.add(callers.submit(() -> traffic.run(offsets, new Random(seed), OPS)));
      }
      for (Future<?> caller : running) {
        caller.get(2, TimeUnit.MINUTES);
      }
    } finally {
      callers.shutdownNow();
    }
  }

  /** After a restart a request that is sent again must still be known. */
  private static void replayRequests(GroupsDir dir, CommitTraffic traffic) {
    List<Ask> again = new ArrayList<>();
    for (RecordedOp op : traffic.recorded()) {
      boolean named =
          op.ask() instanceof RecordedOp.Commit commit && !commit.request().requestId().isEmpty();
      if (named && op.answer() instanceof RecordedOp.Results && again.size() < 500) {
        again.add(op.ask());
      }
    }
    again.forEach(ask -> traffic.call(dir.offsets, ask));
    assertThat(again).isNotEmpty();
  }

  private static void checkHistory(GroupsDir dir, CommitTraffic traffic, List<String> groups) {
    // What everybody sees in the end is part of the history.
    groups.forEach(group -> traffic.call(dir.offsets, new RecordedOp.Read(group)));
    Map<Integer, List<RecordedOp>> byPartition = new TreeMap<>();
    for (RecordedOp op : traffic.recorded()) {
      int partition = OffsetsTopic.partitionFor(op.ask().group(), OffsetsTopic.PARTITION_COUNT);
      byPartition.computeIfAbsent(partition, p -> new ArrayList<>()).add(op);
    }
    SequentialGroups rules =
        new SequentialGroups(
            dir.source.topic(GroupsDir.TOPIC).topicId().orElseThrow(),
            RandomCommits.PARTITIONS,
            RandomCommits.RECORDS);
    byPartition.forEach(
        (partition, ops) -> {
          LogSnapshot log = dir.source.snapshot(new TopicPartition(OffsetsTopic.NAME, partition));
          List<LoggedChange> changes = LoggedChange.read(log, GroupsDir.START_MS);
          assertThat(log.segments().size()).isGreaterThan(changes.size() > 1_500 ? 1 : 0);
          assertThat(HistoryChecker.objections(rules, GroupsDir.START_MS, ops, changes)).isEmpty();
        });
  }

  /** A history in which next to nothing happened would prove next to nothing. */
  private static void assertVariety(List<RecordedOp> ops, boolean flaky) {
    Map<String, Integer> tally = new TreeMap<>();
    for (RecordedOp op : ops) {
      Answer answer = op.answer();
      if (answer instanceof RecordedOp.Results results) {
        tally.merge(results.replayed() ? "replayed" : "answered", 1, Integer::sum);
        results.verdicts().forEach(v -> tally.merge(v.outcome() + v.reason(), 1, Integer::sum));
      } else if (answer instanceof RecordedOp.Refused refused) {
        tally.merge(refused.reason().name(), 1, Integer::sum);
      } else {
        tally.merge(answer.getClass().getSimpleName(), 1, Integer::sum);
      }
    }
    System.out.println(ops.size() + " calls: " + tally);
    assertThat(ops).hasSizeGreaterThanOrEqualTo(OPS);
    Map<String, Integer> common = new HashMap<>(tally);
    common.values().removeIf(count -> count < OPS / 500);
    assertThat(common)
        .containsKeys("COMMITTED", "UNCHANGED", "NOT_APPLIED", "replayed", "Seen", "Deleted")
        .containsKeys("FAILEDREGRESSION", "FAILEDCONFLICT", "FAILEDFENCED")
        .containsKeys("FAILEDOFFSET_OUT_OF_RANGE", "FAILEDUNKNOWN_PARTITION", "DeletedAll");
    assertThat(tally.containsKey("DiskFailed")).isEqualTo(flaky);
    assertThat(tally).containsKeys("UNKNOWN_GROUP", "REQUEST_ID_REUSED");
  }
}
