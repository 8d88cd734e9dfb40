package io.whence.source.kafka;

import io.whence.log.FollowedLog;
import io.whence.log.FollowedLogOptions;
import io.whence.log.LogConfig;
import io.whence.log.LogEnvironment;
import io.whence.log.StorageFailures;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The topics that are followed, kept as the cluster has them. A topic that was deleted and created
 * again is another one: its id names its directory, so the two never mix. Thread safety: one thread
 * changes it; readers are safe.
 */
final class ClusterTopics {
  /** A topic that is missing so often in a row is gone: one answer may be from a broker behind. */
  private static final int ABSENCES_UNTIL_GONE = 2;

  private static final String DELETE = "delete what was followed of it";
  private static final int CLOSING_THREADS = 8;
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final Path directory;
  private final LogEnvironment environment;
  private final PartitionMaker maker;
  private final Follower follower;
  private final Map<String, Integer> absences = new TreeMap<>();
  private volatile Map<String, FollowedTopic> topics = Map.of();
  private volatile Map<String, WhenceException> failures = Map.of();

  /** How many partitions the topics had that the cluster had at first; null before. */
  private volatile @Nullable Map<TopicId, Integer> atFirst;

  /** Makes the partition of a log. */
  @FunctionalInterface
  interface PartitionMaker {
    FollowedPartition make(TopicId id, FollowedLog log);
  }

  ClusterTopics(
      Path directory, LogEnvironment environment, PartitionMaker maker, Follower follower) {
    this.directory = directory;
    this.environment = environment;
    this.maker = maker;
    this.follower = follower;
  }

  /** Returns the topics, by name. */
  Map<String, FollowedTopic> all() {
    return topics;
  }

  Optional<FollowedTopic> find(String name) {
    return Optional.ofNullable(topics.get(name));
  }

  List<FollowedPartition> partitions() {
    return topics.values().stream().flatMap(topic -> topic.partitions().stream()).toList();
  }

  /** Returns whether a partition was there when the cluster was first asked. */
  boolean wasThereAtFirst(TopicId topic, int partition) {
    Map<TopicId, Integer> counts = atFirst;
    return counts == null || partition < counts.getOrDefault(topic, 0);
  }

  /**
   * Follows what the cluster has, and no longer what it had. A topic that can't be followed keeps
   * no other one from it; {@link #failures} tells of it, and the next time it is tried again.
   *
   * @param closed whether nobody wants it any more; looked at before each log is opened
   */
  void update(Map<String, ClusterAdmin.Topic> cluster, BooleanSupplier closed) {
    if (atFirst == null) {
      Map<TopicId, Integer> counts = new HashMap<>();
      cluster.values().forEach(topic -> counts.put(topic.id(), topic.partitionCount()));
      atFirst = Map.copyOf(counts);
    }
    Map<String, WhenceException> now = new TreeMap<>();
    for (FollowedTopic topic : topics.values()) {
      if (!cluster.containsKey(topic.name()) && isGone(topic.name())) {
        publish(topic.name(), null);
        keep(now, topic.name(), topic.id(), DELETE, () -> end(topic));
      }
    }
    cluster.forEach((name, seen) -> update(now, name, seen, closed));
    failures = Collections.unmodifiableMap(now);
  }

  /** Another topic of the name takes its place at once: who waits for the old one sees it then. */
  private void update(
      Map<String, WhenceException> failed,
      String name,
      ClusterAdmin.Topic seen,
      BooleanSupplier closed) {
    absences.remove(name);
    FollowedTopic known = topics.get(name);
    FollowedTopic old = known == null || known.id().equals(seen.id()) ? null : known;
    keep(failed, name, seen.id(), "open its logs", () -> publish(name, grown(name, seen, closed)));
    if (old != null) {
      if (failed.containsKey(name)) {
        publish(name, null);
      }
      keep(failed, name, old.id(), DELETE, () -> delete(old));
    }
  }

  private void keep(
      Map<String, WhenceException> failed,
      String topic,
      TopicId id,
      String what,
      FirstFailure.Step step) {
    try {
      step.run();
    } catch (WhenceException e) {
      failed.putIfAbsent(topic, e);
    } catch (IOException | RuntimeException e) {
      Path path = directory.resolve(id.toString());
      failed.putIfAbsent(topic, StorageFailures.of(e, what + " (topic '" + topic + "')", path));
    }
  }

  /** Returns, by name, why topics can't be followed, or what was followed of one not be deleted. */
  Map<String, WhenceException> failures() {
    return failures;
  }

  private void publish(String name, @Nullable FollowedTopic topic) {
    Map<String, FollowedTopic> now = new TreeMap<>(topics);
    if (topic == null) {
      now.remove(name);
    } else {
      now.put(name, topic);
    }
    topics = Collections.unmodifiableMap(now);
  }

  private boolean isGone(String name) {
    boolean gone = absences.merge(name, 1, Integer::sum) >= ABSENCES_UNTIL_GONE;
    if (gone) {
      absences.remove(name);
    }
    return gone;
  }

  private FollowedTopic grown(String name, ClusterAdmin.Topic seen, BooleanSupplier closed)
      throws IOException {
    FollowedTopic known = topics.get(name);
    List<FollowedPartition> before = known == null ? List.of() : known.partitions();
    boolean isOther = known != null && !known.id().equals(seen.id());
    List<FollowedPartition> all = new ArrayList<>(isOther ? List.of() : before);
    if (known != null && !isOther && all.size() >= seen.partitionCount()) {
      return known;
    }
    List<FollowedPartition> added = new ArrayList<>();
    try {
      for (int number = all.size(); number < seen.partitionCount(); number++) {
        if (closed.getAsBoolean()) {
          throw WhenceException.of(ErrorReason.DRAINING, "the server stops");
        }
        added.add(open(new TopicPartition(name, number), seen.id()));
      }
      if (isOther) {
        before.forEach(follower::unfollow); // Two of one name can't be followed.
      }
      added.forEach(follower::follow);
    } catch (IOException | RuntimeException e) {
      FirstFailure failures = new FirstFailure();
      added.forEach(partition -> failures.keep(() -> end(partition, FollowedLog::close)));
      throw e; // Next time all of these are opened anew.
    }
    all.addAll(added);
    return new FollowedTopic(name, seen.id(), all);
  }

  private FollowedPartition open(TopicPartition partition, TopicId id) throws IOException {
    Path path =
        directory.resolve(id.toString()).resolve(partition.topic() + "-" + partition.partition());
    Files.createDirectories(path);
    FollowedLog log =
        FollowedLog.open(
            path, partition, LogConfig.of(Map.of()), environment, FollowedLogOptions.startingAt(0));
    return maker.make(id, log);
  }

  /**
   * One that is only missing may be there, but not to be seen: {@link ForgottenTopics} finds out.
   */
  private void end(FollowedTopic topic) throws IOException {
    FirstFailure failures = new FirstFailure();
    for (FollowedPartition partition : topic.partitions()) {
      failures.keep(() -> end(partition, FollowedLog::abandon));
    }
    failures.throwIfAny();
  }

  private void delete(FollowedTopic topic) throws IOException {
    FirstFailure failures = new FirstFailure();
    failures.keep(() -> end(topic));
    failures.keep(() -> ForgottenTopics.delete(directory, topic.id()));
    failures.throwIfAny();
  }

  private void end(FollowedPartition partition, LogEnd end) throws IOException {
    follower.unfollow(partition);
    end.of(partition.log());
  }

  /** How a log ends. */
  @FunctionalInterface
  private interface LogEnd {
    void of(FollowedLog log) throws IOException;
  }

  /**
   * Puts everything on disk; the first failure of several. Several at a time: each waits for the
   * disk again and again, and thousands of them have seconds before a stop has to be over.
   *
   * @param threads makes the threads for it
   * @return whether all is closed; else a disk takes too long, and files are still written
   */
  boolean close(ThreadFactory threads) throws IOException {
    Queue<FollowedPartition> left = new ConcurrentLinkedQueue<>(partitions());
    FirstFailure failures = new FirstFailure();
    List<Thread> closers =
        Stream.generate(() -> threads.newThread(() -> closeAll(left, failures)))
            .limit(CLOSING_THREADS)
            .toList();
    closers.forEach(Thread::start);
    long endNanos = System.nanoTime() + CLOSE_LIMIT.toNanos();
    try {
      for (Thread closer : closers) {
        closer.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boolean isClosed = closers.stream().noneMatch(Thread::isAlive);
    if (isClosed) { // Else what failed is not all that may.
      failures.throwIfAny();
    }
    return isClosed;
  }

  private static void closeAll(Queue<FollowedPartition> left, FirstFailure failures) {
    for (FollowedPartition next = left.poll(); next != null; next = left.poll()) {
      failures.keep(next.log()::close);
    }
  }
}
