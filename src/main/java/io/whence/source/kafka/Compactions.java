package io.whence.source.kafka;

import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicPartition;
import io.whence.source.kafka.CleaningQuestions.LeaderSize;
import io.whence.source.kafka.CleaningQuestions.Policies;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Follows what the log cleaner of a cluster removes of compacted topics, which the cluster doesn't
 * announce: reads each partition again, one after the other, unless its size shows that nothing was
 * removed. Thread safety: thread-safe; its own thread does the work.
 */
final class Compactions implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  /** An end that the leader doesn't tell. */
  private static final long UNKNOWN = -1;

  private static final Position END = new Position.Latest();

  private final String source;
  private final Supplier<List<FollowedPartition>> partitions;
  private final ClusterAdmin admin;
  private final CleaningQuestions questions;
  private final KafkaOptions options;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;

  /** What is known of partitions of topics that are compacted, or were; of the thread alone. */
  private final Map<FollowedPartition, State> states = new HashMap<>();

  private Set<String> compacted = Set.of();

  /** Topics of which the cluster doesn't say whether they are compacted, and why it doesn't. */
  private volatile Map<String, String> untold = Map.of();

  /** Why the last pass over a partition failed. */
  private final Map<TopicPartition, String> problems = new ConcurrentHashMap<>();

  /** Why nothing could be looked at last time; null if it could. */
  private volatile @Nullable String problem;

  private volatile @Nullable CleaningPass running;

  /** What is known of a partition. */
  private static final class State {
    private boolean wasTried;
    private long triedNanos;

    /** The measure of when the last pass began; null if that is not known. */
    private @Nullable CleaningMeasure before;
  }

  /**
   * Begins.
   *
   * @param partitions gives those that are followed
   */
  Compactions(
      String source,
      Supplier<List<FollowedPartition>> partitions,
      ClusterAdmin admin,
      KafkaOptions options) {
    this.source = source;
    this.partitions = partitions;
    this.admin = admin;
    this.questions = admin.cleaning();
    this.options = options;
    this.thread = options.resources().threads().newThread(this::run);
  }

  /** Begins to look. */
  void start() {
    thread.start();
  }

  private void run() {
    Duration interval = options.timing().compactionCheck();
    long tickMs = Math.min(interval.toMillis(), options.timing().refresh().toMillis());
    try {
      do {
        look(interval);
      } while (!stopping.await(tickMs, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever fails is tried again after the interval. */
  private void look(Duration interval) throws InterruptedException {
    try {
      List<FollowedPartition> followed = partitions.get();
      askPolicies(followed);
      List<FollowedPartition> due = due(followed, interval);
      if (!due.isEmpty()) {
        long measuredNanos = System.nanoTime();
        Map<FollowedPartition, CleaningMeasure> measures = measure(due);
        for (FollowedPartition partition : due) {
          look(
              partition,
              Objects.requireNonNull(measures.get(partition), "one of each"),
              measuredNanos);
        }
      }
      problem = null;
    } catch (RuntimeException e) {
      problem = String.valueOf(e.getMessage());
    }
  }

  private void askPolicies(List<FollowedPartition> followed) throws InterruptedException {
    Set<String> topics = new TreeSet<>();
    followed.forEach(partition -> topics.add(partition.partition().topic()));
    Policies policies = questions.policies(topics);
    Set<String> now = new HashSet<>(policies.compacted());
    // What holds of a topic holds until something else is told.
    compacted.stream().filter(policies.untold()::containsKey).forEach(now::add);
    compacted = now;
    untold = Map.copyOf(policies.untold());
  }

  private List<FollowedPartition> due(List<FollowedPartition> followed, Duration interval) {
    states.keySet().retainAll(followed);
    problems
        .keySet()
        .retainAll(states.keySet().stream().map(FollowedPartition::partition).toList());
    List<FollowedPartition> due = new ArrayList<>();
    for (FollowedPartition partition : followed) {
      if (compacted.contains(partition.partition().topic())) {
        states.computeIfAbsent(partition, p -> new State());
      }
      State state = states.get(partition);
      if (state != null
          && partition.isCaughtUp()
          && partition.fault().isEmpty() // Asking about one without a leader is answered late.
          && (!state.wasTried || System.nanoTime() - state.triedNanos >= interval.toNanos())) {
        due.add(partition);
      }
    }
    return due;
  }

  private Map<FollowedPartition, CleaningMeasure> measure(List<FollowedPartition> due)
      throws InterruptedException {
    Map<FollowedPartition, Fetched> fetched = new HashMap<>();
    due.forEach(partition -> fetched.put(partition, partition.fetchedSoFar()));
    List<TopicPartition> asked = due.stream().map(FollowedPartition::partition).toList();
    Map<TopicPartition, LeaderSize> sizes = questions.sizes(asked);
    Map<TopicPartition, CompletableFuture<LeaderOffset>> ends =
        admin.ask(
            asked.stream().collect(Collectors.toMap(Function.identity(), any -> END, (a, b) -> a)),
            IsolationLevel.READ_UNCOMMITTED,
            options.timing().request());
    Map<FollowedPartition, CleaningMeasure> measures = new HashMap<>();
    for (FollowedPartition partition : due) {
      TopicPartition name = partition.partition();
      measures.put(
          partition,
          new CleaningMeasure(
              Optional.ofNullable(sizes.get(name)),
              Objects.requireNonNull(fetched.get(partition), "one of each"),
              await(Objects.requireNonNull(ends.get(name), "an end that was asked for"))));
    }
    return measures;
  }

  private long await(CompletableFuture<LeaderOffset> end) throws InterruptedException {
    try {
      return end.get(options.timing().request().toMillis(), TimeUnit.MILLISECONDS).offset();
    } catch (ExecutionException | TimeoutException e) {
      return UNKNOWN;
    }
  }

  private void look(FollowedPartition partition, CleaningMeasure now, long measuredNanos) {
    State state = Objects.requireNonNull(states.get(partition), "one that is due");
    long beganNanos = System.nanoTime();
    state.wasTried = true;
    state.triedNanos = beganNanos;
    if (stopping.getCount() == 0) {
      return;
    }
    boolean isUnchanged = now.provesNothingRemovedSince(state.before);
    if (isUnchanged || readAgain(partition)) {
      state.before = now;
      partition.removalsSeen(isUnchanged ? measuredNanos : beganNanos);
      if (!compacted.contains(partition.partition().topic())) {
        states.remove(partition); // That was the last time: nothing is cleaned any more.
      }
    } else {
      state.before = null;
    }
  }

  /** Returns whether nothing is in the log now that the leader didn't have. */
  private boolean readAgain(FollowedPartition partition) {
    TopicPartition name = partition.partition();
    try (CleaningPass pass =
        new CleaningPass(
            partition, questions, options.client(), options.timing().request(), stopping)) {
      running = pass;
      OptionalLong removed = partition.log().keepOnly(pass);
      if (removed.isPresent()) {
        problems.remove(name); // A pass that was cut short shows nothing.
      }
      if (removed.orElse(0) > 0) {
        options.resources().events().removed(source, name, removed.getAsLong());
      }
      return removed.isPresent();
    } catch (IOException | RuntimeException e) {
      if (stopping.getCount() > 0) {
        problems.put(name, String.valueOf(e.getMessage()));
      }
      return false;
    } finally {
      running = null;
    }
  }

  /** Returns what the operator should know. */
  List<String> warnings() {
    List<String> all = new ArrayList<>();
    String now = problem;
    if (now != null) {
      all.add("records that the cluster removed may still be found: " + now);
    }
    new TreeMap<>(untold)
        .forEach(
            (topic, why) ->
                all.add(
                    "the cluster doesn't say whether topic '"
                        + topic
                        + "' is compacted; if it is, records that it removes are still found: "
                        + why));
    problems.forEach(
        (partition, why) ->
            all.add(partition + ": records that the cluster removed may still be found: " + why));
    return all;
  }

  /** Ends what runs; returns soon. */
  @Override
  public void close() {
    stopping.countDown();
    CleaningPass pass = running;
    if (pass != null) {
      pass.wakeUp();
    }
    try {
      thread.join(CLOSE_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
