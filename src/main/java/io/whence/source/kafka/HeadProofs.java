package io.whence.source.kafka;

import io.whence.log.LogSnapshot;
import io.whence.log.StoredRecord;
import io.whence.log.UnfollowedHead;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Finds out, for all partitions that are not followed from their beginning, which times lie behind
 * what is not followed: one question to each leader a round, for all its partitions. Thread safety:
 * single-writer, the executor's one thread.
 */
final class HeadProofs {
  /** More than any search needs, as long as what is followed reaches no further. */
  private static final int MAX_ROUNDS = 150;

  private final Leaders leaders;
  private final Supplier<List<FollowedPartition>> partitions;
  private final Executor executor;
  private final Duration limit;

  /** What was found out so far, of those that have a head. */
  private Map<FollowedPartition, Looked> searches = new IdentityHashMap<>();

  /** Those whose leader has just failed: not before the next look. */
  private final Set<FollowedPartition> failed = new HashSet<>();

  private boolean asking;

  /** How many questions this look may still ask each leader. */
  private int roundsLeft;

  /**
   * Makes one that knows nothing yet.
   *
   * @param partitions returns all partitions
   * @param executor runs what answers lead to; the thread that calls {@link #look}
   * @param limit how long a round may take
   */
  HeadProofs(
      Leaders leaders,
      Supplier<List<FollowedPartition>> partitions,
      Executor executor,
      Duration limit) {
    this.leaders = leaders;
    this.partitions = partitions;
    this.executor = executor;
    this.limit = limit;
  }

  /**
   * What is looked for during one look. What comes meanwhile is left to the next: on a topic that
   * is written to all the time, one look would never end.
   *
   * @param largestMs no record that was followed when it began is after that
   * @param cuts how often the log had been cut or begun anew: what was found out of another one
   *     doesn't count
   */
  private record Looked(HeadSearch search, long largestMs, int cuts) {}

  /** What one partition is asked in a round. */
  private record Probe(FollowedPartition partition, Looked looked, long ms) {}

  /** Looks for heads of which too little is known, and begins to ask; never waits. */
  void look() {
    if (asking) {
      return;
    }
    failed.clear();
    roundsLeft = MAX_ROUNDS;
    Map<FollowedPartition, Looked> now = new IdentityHashMap<>();
    for (FollowedPartition partition : partitions.get()) {
      int cuts = partition.cuts();
      LogSnapshot log = partition.log().snapshot();
      UnfollowedHead head = log.head();
      if (head != null && partition.isCaughtUp()) {
        long largestMs = log.largestTimestampMs(head.endOffset());
        searchOf(partition, log, head, largestMs)
            .ifPresent(search -> now.put(partition, new Looked(search, largestMs, cuts)));
      }
    }
    searches = now;
    ask();
  }

  /** Nothing is known to look for before there is a record that is followed. */
  private Optional<HeadSearch> searchOf(
      FollowedPartition partition, LogSnapshot log, UnfollowedHead head, long largestMs) {
    Looked before = searches.get(partition);
    if (before != null
        && before.cuts() == partition.cuts()
        && before.search().endOffset() == head.endOffset()) {
      HeadSearch known = before.search();
      known.look();
      known.proven(head.belowMs());
      if (known.provenMs() < head.belowMs()) {
        partition.log().proveHead(known.endOffset(), known.provenMs());
      }
      return Optional.of(known);
    }
    return largestMs < 0
        ? Optional.empty()
        : Optional.of(new HeadSearch(head.endOffset(), head.belowMs(), firstMs(log, largestMs)));
  }

  /** Returns the time of the first record that is followed; another one if it can't be read. */
  private static long firstMs(LogSnapshot log, long otherMs) {
    try {
      List<StoredRecord> first =
          log.read(log.firstOffset(), 1, 1, IsolationLevel.READ_UNCOMMITTED, Cancellation.NONE);
      return first.isEmpty() ? otherMs : first.get(0).stamp().timestampMs();
    } catch (WhenceException e) {
      return otherMs;
    }
  }

  private void ask() {
    List<Probe> probes = probes();
    if (probes.isEmpty() || roundsLeft == 0) {
      return;
    }
    roundsLeft--;
    Map<TopicPartition, Position> positions = new HashMap<>();
    probes.forEach(
        probe -> positions.put(probe.partition().partition(), new Position.AtOrAfter(probe.ms())));
    Map<TopicPartition, CompletableFuture<LeaderOffset>> answers =
        leaders.ask(positions, IsolationLevel.READ_UNCOMMITTED, limit);
    asking = true;
    StartOffsets.ended(answers.values())
        .thenRun(() -> executor.execute(() -> take(probes, answers)));
  }

  private List<Probe> probes() {
    List<Probe> probes = new ArrayList<>();
    searches.forEach(
        (partition, looked) -> {
          HeadSearch search = looked.search();
          if (partition.fault().isEmpty() && !search.isExact() && !failed.contains(partition)) {
            OptionalLong next = search.next(looked.largestMs());
            next.ifPresent(ms -> probes.add(new Probe(partition, looked, ms)));
          }
        });
    return probes;
  }

  private void take(
      List<Probe> probes, Map<TopicPartition, CompletableFuture<LeaderOffset>> answers) {
    asking = false;
    for (Probe probe : probes) {
      CompletableFuture<LeaderOffset> answer =
          Objects.requireNonNull(answers.get(probe.partition().partition()), "an answer");
      if (answer.isCompletedExceptionally()) {
        failed.add(probe.partition());
      } else {
        take(probe, answer.join());
      }
    }
    ask();
  }

  private static void take(Probe probe, LeaderOffset answer) {
    HeadSearch search = probe.looked().search();
    search.answered(probe.ms(), answer, probe.looked().largestMs());
    UnfollowedHead head = probe.partition().log().snapshot().head();
    if (head != null
        && probe.looked().cuts() == probe.partition().cuts()
        && head.endOffset() == search.endOffset()
        && search.provenMs() < head.belowMs()) {
      probe.partition().log().proveHead(search.endOffset(), search.provenMs());
    }
  }
}
