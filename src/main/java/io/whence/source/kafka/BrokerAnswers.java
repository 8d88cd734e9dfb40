package io.whence.source.kafka;

import io.whence.log.LogSnapshot;
import io.whence.log.UnfollowedHead;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.Outcome;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.source.kafka.fetch.FetchFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers what the copies of logs can't, by asking the leaders: first where the logs begin and end,
 * then at which offsets times are, and at last whether the topics are still those that are
 * followed. In this order nothing is skipped by who takes the end where nothing is found: what
 * comes after the ends were told is found. One question to each leader for all partitions; each
 * partition fails alone. Thread safety: single-writer; one a batch.
 */
final class BrokerAnswers {
  private static final int STEPS = 3;

  /**
   * Of how many times a leader is asked for one partition in a call: each is a question of its own,
   * and those of others wait behind.
   */
  static final int MAX_TIMES = 64;

  /** Why a partition is not asked about: nobody would answer, or only who may read it may know. */
  private static final Set<ErrorReason> NOT_ASKED =
      Set.of(
          ErrorReason.NOT_AUTHORIZED,
          ErrorReason.LEADER_UNAVAILABLE,
          ErrorReason.UNKNOWN_PARTITION,
          ErrorReason.STALE_TOPIC);

  private final Leaders leaders;
  private final Duration stepLimit;
  private final IsolationLevel isolation;
  private final Cancellation cancellation;
  private final Executor executor;
  private final Map<TopicPartition, FollowedPartition> partitions = new LinkedHashMap<>();

  /** How often what is followed had been cut before anybody was asked. */
  private final Map<TopicPartition, Integer> cuts = new HashMap<>();

  private final Map<TopicPartition, LogBounds> bounds = new HashMap<>();
  private final Map<TopicPartition, WhenceException> failures = new HashMap<>();
  private final Map<ClusterQuestion, CompletableFuture<LeaderOffset>> hits = new HashMap<>();

  /** The largest times of all, as of before the times were asked for: they refute "nothing". */
  private final Map<TopicPartition, LeaderOffset> maxima = new HashMap<>();

  /** What the copies that are followed to their end had before the leaders were asked for times. */
  private final Map<TopicPartition, LogSnapshot> copies = new HashMap<>();

  private final List<Proof> proofs = new ArrayList<>();

  /** A leader has found something at or after a time: no record below that is. */
  private record Proof(TopicPartition partition, long ms, long offset) {}

  /**
   * Begins without questions.
   *
   * @param limit how long all of it may take
   * @param executor runs what answers lead to, which may wait for a disk
   */
  BrokerAnswers(
      Leaders leaders,
      Duration limit,
      IsolationLevel isolation,
      Cancellation cancellation,
      Executor executor) {
    this.leaders = leaders;
    this.stepLimit = limit.dividedBy(STEPS);
    this.isolation = isolation;
    this.cancellation = cancellation;
    this.executor = executor;
  }

  /**
   * Answers each question, in this order.
   *
   * @param find finds a partition, or fails
   * @throws WhenceException only if nobody waits any more
   */
  List<ClusterAnswer> answer(
      List<ClusterQuestion> questions, Function<TopicPartition, FollowedPartition> find) {
    for (TopicPartition name : new HashSet<>(questions.stream().map(q -> q.partition()).toList())) {
      add(name, find);
    }
    askBounds(questions);
    lookAtCopies();
    askPositions(questions);
    LeaderWait waiting = new LeaderWait(stepLimit, cancellation);
    List<ClusterAnswer> answers = new ArrayList<>(questions.size());
    Set<TopicPartition> answered = new LinkedHashSet<>();
    for (ClusterQuestion question : questions) {
      try {
        answers.add(ClusterAnswer.of(resolution(question, waiting)));
        answered.add(question.partition());
      } catch (WhenceException e) {
        cancellation.check(); // Then it is nobody's any more.
        answers.add(ClusterAnswer.failed(e));
      }
    }
    Map<TopicPartition, WhenceException> others = others(answered);
    for (int i = 0; i < answers.size(); i++) {
      WhenceException other = others.get(questions.get(i).partition());
      if (other != null) {
        answers.set(i, ClusterAnswer.failed(other));
      }
    }
    proofs.removeIf(proof -> others.containsKey(proof.partition()));
    proofs.forEach(this::prove);
    return answers;
  }

  /** Leaders are asked by names: returns whose answers may be those of another topic. */
  private Map<TopicPartition, WhenceException> others(Set<TopicPartition> answered) {
    Map<TopicPartition, WhenceException> others = new HashMap<>();
    if (answered.isEmpty()) {
      return others;
    }
    Map<String, CompletableFuture<TopicId>> ids =
        leaders.ids(answered.stream().map(this::topic).collect(Collectors.toSet()));
    LeaderWait waiting = new LeaderWait(stepLimit, cancellation);
    for (TopicPartition name : answered) {
      try {
        waiting.awaitSameTopic(
            partition(name), Objects.requireNonNull(ids.get(topic(name)), "an id or a failure"));
      } catch (WhenceException e) {
        cancellation.check();
        others.put(name, e);
      }
    }
    return others;
  }

  private String topic(TopicPartition name) {
    return partition(name).partition().topic();
  }

  /** Counts if it lies in what is followed, and that is what it was when the leader was asked. */
  private void prove(Proof proof) {
    FollowedPartition partition = partition(proof.partition());
    int before = Objects.requireNonNull(cuts.get(proof.partition()), "cuts of a partition");
    UnfollowedHead head = partition.log().snapshot().head();
    if (head != null && proof.offset() >= head.endOffset() && proof.ms() < head.belowMs()) {
      executor.execute(
          () -> {
            if (partition.cuts() == before) {
              partition.log().proveHead(head.endOffset(), proof.ms());
            }
          });
    }
  }

  private void add(TopicPartition name, Function<TopicPartition, FollowedPartition> find) {
    try {
      FollowedPartition partition = find.apply(name);
      partitions.put(name, partition);
      cuts.put(name, partition.cuts());
    } catch (WhenceException e) {
      failures.put(name, e);
    }
  }

  /** Asks where the logs begin and end of those that may be asked about. */
  private void askBounds(List<ClusterQuestion> questions) {
    Map<TopicPartition, Position> starts = new HashMap<>();
    Map<TopicPartition, Position> ends = new HashMap<>();
    Map<TopicPartition, Position> largest = new HashMap<>();
    for (ClusterQuestion question : questions) {
      FollowedPartition partition = partitions.get(question.partition());
      if (partition != null && question.position().isKnownToBrokers() && mayAsk(partition)) {
        starts.put(question.partition(), new Position.Earliest());
        ends.put(question.partition(), new Position.Latest());
        if (question.position() instanceof Position.AtOrAfter) {
          largest.put(question.partition(), new Position.MaxTimestamp());
        }
      }
    }
    if (starts.isEmpty()) {
      return;
    }
    var startOffsets = leaders.ask(starts, IsolationLevel.READ_UNCOMMITTED, stepLimit);
    var endOffsets = leaders.ask(ends, isolation, stepLimit);
    var largestTimes = leaders.ask(largest, IsolationLevel.READ_UNCOMMITTED, stepLimit);
    LeaderWait waiting = new LeaderWait(stepLimit, cancellation);
    for (TopicPartition name : starts.keySet()) {
      try {
        FollowedPartition partition = partition(name);
        long start = await(waiting, partition, startOffsets.get(name)).offset();
        long end = await(waiting, partition, endOffsets.get(name)).offset();
        if (largestTimes.containsKey(name)) {
          maxima.put(name, await(waiting, partition, largestTimes.get(name)));
        }
        bounds.put(name, new LogBounds(start, Math.max(start, end)));
      } catch (WhenceException e) {
        cancellation.check();
        failures.put(name, e);
      }
    }
  }

  private static LeaderOffset await(
      LeaderWait waiting,
      FollowedPartition partition,
      @Nullable CompletableFuture<LeaderOffset> bound) {
    return waiting.await(
        partition, "its bounds", Objects.requireNonNull(bound, "a bound that was asked for"));
  }

  private boolean mayAsk(FollowedPartition partition) {
    FetchFault fault = partition.fault().orElse(null);
    if (fault == null || !NOT_ASKED.contains(fault.reason())) {
      return true;
    }
    failures.put(
        partition.partition(),
        partition.failure(fault.reason(), CatchUp.NOT_NOW + fault.message()));
    return false;
  }

  /** Before the times are asked for: what comes later need not be found. */
  private void lookAtCopies() {
    for (TopicPartition name : bounds.keySet()) {
      FollowedPartition partition = partition(name);
      if (partition.isCaughtUp()) {
        copies.put(name, partition.log().snapshot());
      }
    }
  }

  private static boolean isLookup(Position position) {
    return position instanceof Position.AtOrAfter || position instanceof Position.MaxTimestamp;
  }

  /** A leader is asked for one position of a partition at a time: several take several rounds. */
  private void askPositions(List<ClusterQuestion> questions) {
    Map<TopicPartition, Integer> depths = new HashMap<>();
    List<Map<TopicPartition, Position>> rounds = new ArrayList<>();
    for (ClusterQuestion question : new LinkedHashSet<>(questions)) {
      TopicPartition name = question.partition();
      if (bounds.containsKey(name) && isLookup(question.position())) {
        int depth = depths.merge(name, 1, Integer::sum);
        if (depth > MAX_TIMES) {
          continue; // Too many: tooMany says so.
        }
        if (depth > rounds.size()) {
          rounds.add(new HashMap<>());
        }
        rounds.get(depth - 1).put(name, question.position());
      }
    }
    for (Map<TopicPartition, Position> round : rounds) {
      Map<TopicPartition, Position> asked = new HashMap<>();
      round.forEach((name, position) -> asked.put(name, asAsked(position)));
      leaders
          .ask(asked, isolation, stepLimit)
          .forEach(
              (name, hit) ->
                  hits.put(
                      new ClusterQuestion(
                          name, Objects.requireNonNull(round.get(name), "what was asked")),
                      hit));
    }
  }

  private static Position asAsked(Position position) {
    return position instanceof Position.AtOrAfter p
        ? new Position.AtOrAfter(Math.max(0, p.targetTimestampMs()))
        : position;
  }

  private Resolution resolution(ClusterQuestion question, LeaderWait waiting) {
    WhenceException failure = failures.get(question.partition());
    if (failure != null) {
      throw failure;
    }
    FollowedPartition partition = partition(question.partition());
    if (!question.position().isKnownToBrokers()) {
      throw partition.notKnown(isolation);
    }
    BrokerAnswer answer =
        new BrokerAnswer(
            Objects.requireNonNull(bounds.get(question.partition()), "bounds or a failure"));
    Position position = question.position();
    if (position instanceof Position.Earliest) {
      return answer.earliest();
    } else if (position instanceof Position.Latest) {
      return answer.latest();
    }
    CompletableFuture<LeaderOffset> asked = hits.get(question);
    if (asked == null) {
      throw tooMany(partition);
    }
    LeaderOffset hit = waiting.await(partition, "the offset of a time", asked);
    if (asAsked(position) instanceof Position.AtOrAfter p) {
      if (hit.isFound()) {
        proofs.add(new Proof(question.partition(), p.targetTimestampMs(), hit.offset()));
      }
      Resolution found = answer.atOrAfter(hit);
      if (found.outcome() == Outcome.AFTER_END) {
        requireNothingThere(partition, p.targetTimestampMs());
      }
      return found;
    }
    return answer.maxTimestamp(hit).orElseThrow(() -> partition.notKnown(isolation));
  }

  private static WhenceException tooMany(FollowedPartition partition) {
    return partition.failure(
        ErrorReason.LIMIT_EXCEEDED,
        "is asked for more than "
            + MAX_TIMES
            + " times of which only its leader knows the answers, since they lie before what is"
            + " followed; ask for fewer in a call, or have it followed from its first record");
  }

  /** A leader may find nothing where there is something; who then took the end would skip it. */
  private void requireNothingThere(FollowedPartition partition, long targetMs) {
    LogSnapshot copy = copies.get(partition.partition());
    LeaderOffset largest = maxima.get(partition.partition());
    // It finds no largest time where that record is not to be seen yet.
    boolean isRefuted =
        largest == null
            || !largest.isFound()
            || largest.timestampMs() >= targetMs
            || (copy != null && copy.largestTimestampMs(copy.firstOffset()) >= targetMs);
    if (isRefuted) {
      throw partition.failure(
          ErrorReason.NOT_FOLLOWED,
          "may have records at or after "
              + targetMs
              + ", but its leader found none: it looks into one segment only, and not at what is not"
              + " to be seen yet");
    }
  }

  private FollowedPartition partition(TopicPartition name) {
    return Objects.requireNonNull(partitions.get(name), "a partition or a failure");
  }
}
