package io.whence.commit;

import static io.whence.commit.Entries.allowing;
import static io.whence.commit.Entries.entry;
import static io.whence.commit.Entries.withMetadata;
import static io.whence.commit.GroupsDir.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.source.InternalTopic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compaction changes nothing that anybody can ask for: groups, the changes of their offsets and the
 * answers to requests are those of a model that forgets nothing. What is left on disk depends on
 * what is live.
 */
class OffsetsCompactionTest {
  private static final int PARTITIONS = 6;
  private static final int HISTORY = 3;
  private static final Duration WINDOW = Duration.ofMinutes(10);
  private static final int SEGMENT_BYTES = 4_000;

  /** Of one partition of the offsets topic, so that its log grows. */
  private static final List<String> GROUPS = List.of("b", "test", "polygenelubricants");

  @TempDir private Path path;
  private GroupsDir dir;
  private Random random;

  /** By group and partition the changes of an offset, oldest first. */
  private final Map<String, TreeMap<Integer, List<OffsetChange>>> model = new TreeMap<>();

  private final Map<String, Map<Integer, Long>> commitTimes = new HashMap<>();

  /** What was answered when. */
  private record Answered(CommitRequest request, List<RecordedOp.Verdict> verdicts, long atMs) {}

  private final Map<String, Answered> answers = new LinkedHashMap<>();
  private int requestCount;

  @Test
  void randomCommits_areWhatTheModelKnowsAfterCompactions() throws IOException {
    long seed = Long.getLong("whence.seed", System.nanoTime());
    System.out.println("seed " + seed);
    random = new Random(seed);
    long removed = 0;
    try (GroupsDir opened = open()) {
      for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 50; i++) {
          step();
        }
        if (round % 2 == 0) {
          removed += opened.offsets.compact();
        }
        check();
        if (round % 3 == 0) {
          opened.reopen();
          check();
        }
      }
      assertThat(removed).isGreaterThan(1_000);
    }
  }

  @Test
  void tombstone_staysForADayForThoseWhoReadTheLog() throws IOException {
    try (GroupsDir opened = open()) {
      opened.commit("b", entry(0, 0));
      opened.offsets.deleteGroup("b", Cancellation.NONE).toCompletableFuture().join();
      for (int i = 0; i < 2; i++) {
        fillSegments();
        opened.offsets.compact();
        assertThat(recordsOf("b")).as("after %s days", i).isEqualTo(1 - i);
        opened.clock.advance(OffsetsCompaction.TOMBSTONE_MS + 1);
      }
      opened.reopen();
      assertThat(opened.offsets.group("b")).isEmpty();
    }
  }

  @Test
  void commitsAfterTheLookThroughTheLog_areKeptAlsoWhenTheirSegmentsAreCompacted()
      throws IOException {
    try (GroupsDir opened = open()) {
      opened.commit("b", entry(0, 0));
      OffsetsCompaction keeper = OffsetsCompaction.of(log(), HISTORY, 0, opened.clock.millis());
      opened.commit("b", allowing(entry(0, 7), true, true));
      fillSegments();
      InternalTopic topic = opened.source.internalTopic(OffsetsTopic.NAME).orElseThrow();
      topic.compact(OffsetsTopic.partitionFor("b", topic.partitionCount()), keeper);
      opened.reopen();
      assertThat(opened.committed("b", 0)).isEqualTo(7);
      assertThat(opened.offsets.history("b", new TopicPartition(TOPIC, 0), 10, Cancellation.NONE))
          .hasSize(2);
    }
  }

  /** Commits in the same partition of the offsets topic, until much is out of date. */
  private void fillSegments() {
    for (int i = 0; i < 300; i++) {
      dir.clock.advance(1);
      dir.commit("test", allowing(entry(1, i % 2), true, true));
    }
  }

  private int recordsOf(String group) {
    LogSnapshot log = log();
    int[] count = new int[1];
    log.readAll(
        log.logStartOffset(),
        (batch, record) -> {
          boolean own =
              OffsetsKey.parse(record.key()) instanceof OffsetsKey.Offset offset
                  && offset.group().equals(group);
          count[0] += own ? 1 : 0;
          return true;
        },
        Cancellation.NONE);
    return count[0];
  }

  private LogSnapshot log() {
    int partition = OffsetsTopic.partitionFor(GROUPS.get(0), OffsetsTopic.PARTITION_COUNT);
    return dir.source.snapshot(new TopicPartition(OffsetsTopic.NAME, partition));
  }

  private GroupsDir open() {
    dir = GroupsDir.open(path).withTopic(TOPIC, PARTITIONS, 0);
    GroupOptions o = dir.options();
    dir.reopen(
        new GroupOptions(
            o.clock(),
            o.retention(),
            HISTORY,
            WINDOW,
            o.maxRequests(),
            o.metadataMaxChars(),
            SEGMENT_BYTES));
    return dir;
  }

  private void step() {
    dir.clock.advance(random.nextInt(2_000));
    String group = GROUPS.get(random.nextInt(GROUPS.size()));
    int dice = random.nextInt(20);
    if (dice == 0) {
      TopicPartition gone = new TopicPartition(TOPIC, random.nextInt(PARTITIONS));
      dir.offsets
          .deleteOffsets(group, List.of(gone), Cancellation.NONE)
          .toCompletableFuture()
          .join();
      changes(group).remove(gone.partition());
    } else if (dice == 1 && random.nextInt(4) == 0 && !changes(group).isEmpty()) {
      dir.offsets.deleteGroup(group, Cancellation.NONE).toCompletableFuture().join();
      changes(group).clear();
    } else {
      commit(group, dice < 8);
    }
  }

  private TreeMap<Integer, List<OffsetChange>> changes(String group) {
    return model.computeIfAbsent(group, name -> new TreeMap<>());
  }

  private void commit(String group, boolean named) {
    List<CommitEntry> entries = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      if (random.nextInt(3) == 0) {
        // Few values, so that many of them are the same as before.
        long offset = random.nextInt(3);
        CommitEntry entry = allowing(entry(partition, offset), true, random.nextInt(10) > 0);
        entries.add(withMetadata(entry, "at " + offset));
      }
    }
    if (entries.isEmpty()) {
      return;
    }
    String id = named ? "request-" + requestCount++ : "";
    CommitRequest request = GroupsDir.request(group, id, entries.toArray(CommitEntry[]::new));
    CommitReply reply = dir.commit(request);
    long nowMs = dir.clock.millis();
    for (int i = 0; i < entries.size(); i++) {
      CommitResult result = reply.results().get(i);
      note(group, entries.get(i), result, id, nowMs);
    }
    if (named) {
      answers.put(
          id,
          new Answered(
              request, reply.results().stream().map(RecordedOp.Verdict::of).toList(), nowMs));
    }
  }

  private void note(String group, CommitEntry entry, CommitResult result, String id, long nowMs) {
    int partition = entry.partition().partition();
    if (result.outcome() == CommitOutcome.FAILED) {
      assertThat(entry.nextOffset()).isPositive();
      return;
    }
    List<OffsetChange> of = changes(group).computeIfAbsent(partition, p -> new ArrayList<>());
    long before = of.isEmpty() ? -1 : of.get(of.size() - 1).after();
    assertThat(result.before()).isEqualTo(before);
    boolean same = before == entry.nextOffset();
    assertThat(result.outcome())
        .isEqualTo(same ? CommitOutcome.UNCHANGED : CommitOutcome.COMMITTED);
    if (!same) {
      of.add(new OffsetChange(nowMs, "tester", before, entry.nextOffset(), id, ChangeCause.COMMIT));
    }
    commitTimes.computeIfAbsent(group, name -> new HashMap<>()).put(partition, nowMs);
  }

  private void check() {
    assertThat(dir.offsets.warnings()).isEmpty();
    for (String group : GROUPS) {
      Map<TopicPartition, CommittedOffset> found = CommitTraffic.offsetsOf(dir.offsets, group);
      assertThat(found.keySet())
          .hasSize(changes(group).size())
          .allMatch(partition -> changes(group).containsKey(partition.partition()));
      changes(group).forEach((partition, of) -> checkOffset(group, partition, of, found));
    }
    checkReplays();
    checkSize();
  }

  private void checkOffset(
      String group,
      int partition,
      List<OffsetChange> of,
      Map<TopicPartition, CommittedOffset> found) {
    TopicPartition key = new TopicPartition(TOPIC, partition);
    long offset = of.get(of.size() - 1).after();
    assertThat(found.get(key).nextOffset()).isEqualTo(offset);
    assertThat(found.get(key).metadata()).isEqualTo("at " + offset);
    assertThat(found.get(key).commitTimeMs()).isEqualTo(commitTimes.get(group).get(partition));
    List<OffsetChange> newestFirst = new ArrayList<>();
    for (int i = of.size() - 1; i >= 0 && newestFirst.size() < HISTORY; i--) {
      newestFirst.add(of.get(i));
    }
    assertThat(dir.offsets.history(group, key, 100, Cancellation.NONE)).isEqualTo(newestFirst);
  }

  private void checkReplays() {
    long sinceMs = dir.clock.millis() - WINDOW.toMillis();
    answers.values().removeIf(answer -> answer.atMs() <= sinceMs);
    for (Answered answer : answers.values()) {
      CommitReply reply = dir.commit(answer.request());
      assertThat(reply.replayed()).isTrue();
      assertThat(reply.results().stream().map(RecordedOp.Verdict::of).toList())
          .isEqualTo(answer.verdicts());
    }
  }

  /** A fresh compaction leaves what is live, whatever was written before. */
  private void checkSize() {
    int live = GROUPS.size() * PARTITIONS;
    // Per offset its changes, a renewal and a tombstone; requests; what is not sealed yet. Twice,
    // for one half may be out of date before it is worth a compaction.
    long limit =
        2L * (live * (HISTORY + 2) * 250L + answers.size() * 600L) + 2 * SEGMENT_BYTES + 50 * 1_000;
    assertThat(log().sizeBytes()).isLessThan(limit);
  }
}
