package io.whence.commit;

import io.whence.commit.RecordedOp.Answer;
import io.whence.commit.RecordedOp.Ask;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Checks that the calls to the groups of one partition of the offsets topic could have happened one
 * after the other: each at some moment between call and answer, each answered as {@link
 * SequentialGroups} says.
 *
 * <p>In general that is a search for an order (Wing and Gong), exponential in the worst case. Not
 * here: every call that changed something has a place in the log, and that order is the only one
 * allowed, since a restart replays it. So the states 0 to n between the n changes are given, a
 * change stands between two of them, and any other call must stand at a state. In the order of
 * calls, each gets the earliest state that is not before those of the calls that were over when it
 * began, and that explains its answer. All demands are lower bounds, so by induction no valid
 * choice puts any call earlier; if this choice breaks the order, each does. Exact, and strict: a
 * history that needs another order than the log's is refused.
 *
 * <p>Calls that the disk refused must not be in the log, and explain nothing. Thread safety:
 * single-writer.
 */
final class HistoryChecker {
  private final SequentialGroups rules;
  private final long startMs;
  private final Map<Long, RecordedOp> ops;
  private final Map<Long, Integer> places = new HashMap<>();
  private final Map<String, TreeMap<Integer, Map<TopicPartition, CommittedOffset>>> states =
      new HashMap<>();
  private final Map<List<String>, Applied> requests = new HashMap<>();
  private final Map<List<String>, List<RecordedOp>> uses = new HashMap<>();
  private final List<String> objections = new ArrayList<>();

  /** A request that is in the log, and the first state that knows it. */
  private record Applied(int since, CommitRequest request, RecordedOp.Results results) {}

  private HistoryChecker(SequentialGroups rules, long startMs, List<RecordedOp> ops) {
    this.rules = rules;
    this.startMs = startMs;
    this.ops = ops.stream().collect(Collectors.toMap(RecordedOp::id, Function.identity()));
    for (RecordedOp op : ops) {
      if (op.ask() instanceof RecordedOp.Commit commit) {
        uses.computeIfAbsent(key(commit.request()), k -> new ArrayList<>()).add(op);
      }
    }
  }

  /**
   * Returns what is wrong with a history; empty if nothing is.
   *
   * @param startMs the time of a call whose id is 0
   * @param log in order
   */
  static List<String> objections(
      SequentialGroups rules, long startMs, List<RecordedOp> ops, List<LoggedChange> log) {
    HistoryChecker checker = new HistoryChecker(rules, startMs, ops);
    for (int i = 0; i < log.size() && checker.objections.isEmpty(); i++) {
      checker.replay(i, log.get(i));
    }
    if (checker.objections.isEmpty()) {
      checker.order(ops, log.size());
    }
    return checker.objections;
  }

  private static List<String> key(CommitRequest request) {
    return List.of(request.group(), request.requestId());
  }

  private Map<TopicPartition, CommittedOffset> state(String group, int at) {
    TreeMap<Integer, Map<TopicPartition, CommittedOffset>> of = states.get(group);
    return of == null || of.floorKey(at) == null ? Map.of() : of.floorEntry(at).getValue();
  }

  private void replay(int place, LoggedChange change) {
    RecordedOp op = ops.get(change.op());
    if (op == null || places.putIfAbsent(change.op(), place) != null) {
      objections.add((op == null ? "nobody asked for " : "second time: ") + change);
      return;
    }
    SequentialGroups.Step step =
        rules.answer(
            op.ask(), state(op.ask().group(), place), startMs + op.id(), change.position());
    String requestId =
        op.ask() instanceof RecordedOp.Commit commit ? commit.request().requestId() : "";
    boolean alike =
        change.group().equals(op.ask().group())
            && change.requestId().equals(requestId)
            && sorted(change.offsets()).equals(sorted(step.writes()))
            && op.answer().equals(step.answer());
    if (!alike || isDry(op.ask())) {
      objections.add(op + " wrote " + change + ", but should have come to " + step);
      return;
    }
    states
        .computeIfAbsent(op.ask().group(), g -> new TreeMap<>(Map.of(0, Map.of())))
        .put(place + 1, step.after());
    if (!requestId.isEmpty()) {
      remember(op, place);
    }
  }

  /** The order of the partitions of a deletion is nobody's business. */
  private static List<SequentialGroups.Write> sorted(List<SequentialGroups.Write> writes) {
    return writes.stream()
        .sorted(Comparator.comparing(write -> write.partition().toString()))
        .toList();
  }

  private static boolean isDry(Ask ask) {
    return ask instanceof RecordedOp.Commit commit && commit.request().dryRun();
  }

  private void remember(RecordedOp op, int place) {
    CommitRequest request = ((RecordedOp.Commit) op.ask()).request();
    Applied now = new Applied(place + 1, request, (RecordedOp.Results) op.answer());
    Applied earlier = requests.putIfAbsent(key(request), now);
    if (earlier != null) {
      objections.add("a request is in the log twice: " + earlier + " and " + now);
    }
  }

  /** Finds a state for each call, in the order of the calls. */
  private void order(List<RecordedOp> all, int last) {
    PriorityQueue<Placed> under = new PriorityQueue<>(Comparator.comparingLong(Placed::end));
    Deque<RecordedOp> calls =
        new ArrayDeque<>(all.stream().sorted(Comparator.comparingLong(RecordedOp::call)).toList());
    int earliest = 0;
    while (!calls.isEmpty() && objections.isEmpty()) {
      RecordedOp op = calls.remove();
      while (!under.isEmpty() && under.peek().end() < op.call()) {
        earliest = Math.max(earliest, under.remove().after());
      }
      if (!(op.answer() instanceof RecordedOp.DiskFailed)) {
        under.add(new Placed(op.end(), place(op, earliest, last)));
      }
    }
  }

  /** A call that has its place: when it is over, the state is at least that one. */
  private record Placed(long end, int after) {}

  private int place(RecordedOp op, int earliest, int last) {
    Integer place = places.get(op.id());
    if (place != null) {
      if (place < earliest) {
        objections.add(op + " is change " + place + ", but began at state " + earliest);
      }
      return place + 1;
    }
    if (op.answer().equals(new RecordedOp.Refused(ErrorReason.REQUEST_ID_REUSED))) {
      requireOtherUse(op); // It tells nothing of offsets, and so of no state.
      return earliest;
    }
    for (int at = earliest; at <= last; at++) {
      if (explains(at, op.ask(), op.answer())) {
        return at;
      }
    }
    objections.add("from state " + earliest + " on, nothing explains " + op + related(op));
    return earliest;
  }

  /** Who sends it, and why, makes no other request of it. */
  private static boolean isSame(CommitRequest one, CommitRequest other) {
    return one.entries().equals(other.entries()) && one.atomic() == other.atomic();
  }

  private String related(RecordedOp op) {
    return op.ask() instanceof RecordedOp.Commit commit && !commit.request().requestId().isEmpty()
        ? "; in the log is "
            + requests.get(key(commit.request()))
            + "; all uses: "
            + uses.get(key(commit.request()))
        : "; it is " + state(op.ask().group(), Integer.MAX_VALUE) + " in the end";
  }

  private void requireOtherUse(RecordedOp op) {
    CommitRequest request = ((RecordedOp.Commit) op.ask()).request();
    boolean used =
        uses.get(key(request)).stream()
            .anyMatch(
                other ->
                    other.call() < op.end()
                        && !isSame(((RecordedOp.Commit) other.ask()).request(), request));
    if (!used) {
      objections.add("nobody else used the id of " + op);
    }
  }

  private boolean explains(int at, Ask ask, Answer answer) {
    if (ask instanceof RecordedOp.Commit commit
        && !commit.request().requestId().isEmpty()
        && !commit.request().dryRun()) {
      Applied applied = requests.get(key(commit.request()));
      return applied != null
          && applied.since() <= at
          && isSame(applied.request(), commit.request())
          && answer.equals(new RecordedOp.Results(applied.results().verdicts(), true));
    }
    SequentialGroups.Step step = rules.answer(ask, state(ask.group(), at), -1, Long.MAX_VALUE / 2);
    return step.answer().equals(answer) && (step.writes().isEmpty() || isDry(ask));
  }
}
