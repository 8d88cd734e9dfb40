package io.whence.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.model.Cancellation;
import io.whence.testkit.Directories;
import io.whence.testkit.KillHarness;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a server that commits, again and again: {@code -Dwhence.kill.rounds=200} for a long run.
 * Each group must be as it was acknowledged, or as the one call that was under way would have left
 * it: nothing in between. Requests that were acknowledged are known.
 */
class KillCommitsIT {
  private static final int ROUNDS = Integer.getInteger("whence.kill.rounds", 20);
  private static final int ROUNDS_PER_DIRECTORY = 10;
  private static final int MOST_LINES = 2_000;
  private static final long MOST_NANOS = Duration.ofMillis(200).toNanos();
  private static final int REPLAYS = 100;

  @TempDir private Path given;
  private final Random random = new Random();
  private final Map<String, SortedMap<Integer, Long>> acknowledged = new TreeMap<>();
  private final Map<String, GroupOp> open = new HashMap<>();

  /** Requests that were answered, and with what. */
  private final Map<GroupOp, String> answers = new LinkedHashMap<>();

  /** Begins above what refused entries expect. */
  private long largestOffset = 10;

  private int acknowledgements;
  private int replays;
  private int applied;
  private int undone;

  @Test
  void server_killedWhileItCommits_keepsWhatItAcknowledged() throws IOException {
    long seed = Long.getLong("whence.seed", System.nanoTime());
    System.out.println("seed " + seed);
    random.setSeed(seed);
    for (int round = 0; round < ROUNDS; round++) {
      Path data = given.resolve("data-" + round / ROUNDS_PER_DIRECTORY);
      if (round % ROUNDS_PER_DIRECTORY == 0) {
        acknowledged.clear();
        answers.clear();
        Directories.delete(given.resolve("data-" + (round / ROUNDS_PER_DIRECTORY - 1)));
      }
      List<String> args =
          List.of(
              data.toString(), String.valueOf(random.nextLong()), String.valueOf(largestOffset));
      KillHarness child = new KillHarness(CommittingServer.class, args, given.resolve("errors"));
      KillHarness.Round killed =
          child.killAfterLines(
              1 + random.nextInt(MOST_LINES), Duration.ofNanos(random.nextLong(MOST_NANOS)));
      assertThat(killed.killed()).isTrue();
      killed.lines().forEach(this::note);
      check(data);
    }
    System.out.printf(
        "%d kills, %d acknowledged, %d under way of which %d were made; %d requests sent again%n",
        ROUNDS, acknowledgements, applied + undone, applied, replays);
    assertThat(acknowledgements).isGreaterThan(10 * ROUNDS);
    assertThat(replays).isGreaterThan(ROUNDS);
  }

  private void note(String line) {
    String[] words = line.split(" ", 3);
    if (words[0].equals("begin")) {
      GroupOp op = GroupOp.parse(line.substring("begin ".length()));
      largestOffset = Math.max(largestOffset, op.offset());
      assertThat(open.put(op.group(), op)).as("two calls at once: %s", line).isNull();
    } else if (words[0].equals("end")) {
      GroupOp op = open.remove(words[1]);
      acknowledged.put(op.group(), op.appliedTo(known(op.group())));
      acknowledgements++;
      if (op.hasId()) {
        answers.put(op, words[2]);
      }
    }
  }

  private SortedMap<Integer, Long> known(String group) {
    return acknowledged.getOrDefault(group, new TreeMap<>());
  }

  /** Opens a copy: the next child shall find what the kill left. */
  private void check(Path data) throws IOException {
    Path copy = given.resolve("copy");
    Directories.copy(data, copy);
    ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
    try (CommittingServer server = CommittingServer.open(copy, Runnable::run, scheduler)) {
      assertThat(server.source.warnings()).isEmpty();
      assertThat(server.offsets.warnings()).isEmpty();
      for (int thread = 0; thread < CommittingServer.THREADS; thread++) {
        GroupOp.groupsOf(thread).forEach(group -> checkKept(server.offsets, group));
        checkFleeting(server.offsets, CommittingServer.FLEETING + thread);
      }
      checkReplays(server.offsets);
      for (GroupOp op : List.copyOf(open.values())) {
        finish(server.offsets, op);
      }
      open.clear();
    } finally {
      scheduler.shutdownNow();
      Directories.delete(copy);
    }
  }

  private void checkKept(GroupOffsets offsets, String name) {
    SortedMap<Integer, Long> found = offsetsOf(offsets, name);
    SortedMap<Integer, Long> expected = known(name);
    GroupOp underWay = open.get(name);
    if (underWay == null || found.equals(expected)) {
      assertThat(found).as(name).isEqualTo(expected);
      undone += underWay == null ? 0 : 1;
    } else {
      assertThat(found).as("%s after %s", name, underWay).isEqualTo(underWay.appliedTo(expected));
      applied++;
    }
    acknowledged.put(name, found);
    found.forEach((partition, offset) -> checkHistory(offsets, name, partition, offset));
  }

  private static SortedMap<Integer, Long> offsetsOf(GroupOffsets offsets, String name) {
    SortedMap<Integer, Long> found = new TreeMap<>();
    offsets
        .group(name)
        .ifPresent(
            group ->
                group.forEach(
                    (topic, partition, offset) -> {
                      assertThat(topic).isEqualTo(GroupOp.TOPIC);
                      assertThat(offset.metadata()).isEqualTo("offset " + offset.nextOffset());
                      assertThat(offset.leaderEpoch()).hasValue(7);
                      found.put(partition, offset.nextOffset());
                    }));
    return found;
  }

  private static void checkHistory(GroupOffsets offsets, String name, int partition, long newest) {
    List<Long> changes =
        offsets.history(name, GroupOp.partition(partition), 10, Cancellation.NONE).stream()
            .map(OffsetChange::after)
            .toList();
    assertThat(changes).isNotEmpty().first().isEqualTo(newest);
    assertThat(changes).isSortedAccordingTo((one, two) -> Long.compare(two, one));
  }

  /** It may have expired, but never goes back. */
  private void checkFleeting(GroupOffsets offsets, String name) {
    SortedMap<Integer, Long> found = offsetsOf(offsets, name);
    SortedMap<Integer, Long> last = known(name);
    GroupOp underWay = open.get(name);
    if (!found.isEmpty() && !found.equals(last)) {
      assertThat(underWay).as("%s is %s and not %s", name, found, last).isNotNull();
      assertThat(found).isEqualTo(underWay.appliedTo(last));
    }
  }

  private void checkReplays(EmbeddedGroupOffsets offsets) {
    List<GroupOp> recent = new ArrayList<>(answers.keySet());
    for (int i = 0; i < REPLAYS && !recent.isEmpty(); i++) {
      // One of long ago, or one of the last few.
      int at =
          i % 2 == 0
              ? random.nextInt(recent.size())
              : Math.max(0, recent.size() - 1 - random.nextInt(10));
      GroupOp op = recent.get(at);
      CommitReply reply = offsets.commit(op.request(), Cancellation.NONE);
      reply.durable().toCompletableFuture().join();
      assertThat(reply.replayed()).as(op.toLine()).isTrue();
      assertThat(GroupOp.textOf(reply)).as(op.toLine()).isEqualTo(answers.get(op));
      replays++;
    }
    acknowledged.forEach(
        (name, expected) -> {
          if (!name.startsWith(CommittingServer.FLEETING)) {
            assertThat(offsetsOf(offsets, name)).as(name).isEqualTo(expected);
          }
        });
  }

  /** A client that got no answer sends the request again: it is made once, now or before. */
  private void finish(EmbeddedGroupOffsets offsets, GroupOp op) {
    if (op.hasId()) {
      SortedMap<Integer, Long> before = offsetsOf(offsets, op.group());
      offsets.commit(op.request(), Cancellation.NONE).durable().toCompletableFuture().join();
      assertThat(offsetsOf(offsets, op.group())).isEqualTo(op.appliedTo(before));
      assertThat(offsets.commit(op.request(), Cancellation.NONE).replayed()).isTrue();
    }
  }
}
