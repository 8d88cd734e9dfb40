package io.whence.source.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.log.DelayedDeleter;
import io.whence.log.DirectoryLock;
import io.whence.log.Disk;
import io.whence.log.FollowedLog;
import io.whence.log.LogEnvironment;
import io.whence.log.LogSnapshot;
import io.whence.log.LogWatch;
import io.whence.log.PreloadSource;
import io.whence.log.StoredRecord;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.PartitionLogs;
import io.whence.source.ReadRange;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.kafka.fetch.FetchEvents;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchLane;
import io.whence.source.kafka.fetch.FetchLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a Kafka cluster, followed: each partition into a log of this server, without keys
 * and values. Invariant: it never holds the only copy of anything. Thread safety: thread-safe.
 */
public final class KafkaSource implements LogSource, PreloadSource, AutoCloseable {
  private static final int CHECKPOINT_BYTES = 16 << 20;
  private static final Duration DELETE_DELAY = Duration.ofMinutes(1);
  private static final Duration TELL_INTERVAL = Duration.ofSeconds(5);

  private final String name;
  private final KafkaOptions options;
  private final ClusterAdmin admin;
  private final ClusterReader reader;
  private final Lanes lanes;
  private final ClusterTopics topics;
  private final DelayedDeleter deleter;
  private final DirectoryLock processLock;

  /** Held while topics change. */
  private final Object updating = new Object();

  @GuardedBy("updating")
  private boolean closed;

  private Following told = new Following(0, 0, "");

  /** Whether the cluster has told its topics since the start. */
  private volatile boolean listed;

  /** Why the cluster could not be asked last time; null if it could. */
  private volatile @Nullable String problem;

  /**
   * How the following goes.
   *
   * @param failing why one of the partitions can't be fetched; empty if all can be
   */
  private record Following(int partitionCount, int caughtUpCount, String failing) {}

  private KafkaSource(String name, KafkaOptions options, DirectoryLock processLock) {
    this.name = name;
    this.processLock = processLock;
    this.options = options;
    this.admin = new ClusterAdmin(options.client(), options.timing().request());
    this.reader = new ClusterReader(name, options.client(), options.timing().request());
    this.deleter = new DelayedDeleter(options.resources().scheduler(), DELETE_DELAY);
    this.lanes =
        new Lanes(
            IntStream.range(0, options.lanes())
                .mapToObj(
                    i ->
                        FetchLane.start(
                            name + "-" + i,
                            options.client(),
                            FetchLimits.DEFAULT,
                            options.resources().threads(),
                            FetchEvents.NOOP))
                .toList());
    this.topics = new ClusterTopics(options.directory(), environment(), this::partition, lanes);
  }

  private LogEnvironment environment() {
    return new LogEnvironment(
        options.resources().clock(),
        Runnable::run,
        deleter,
        CHECKPOINT_BYTES,
        options.resources().logEvents(),
        Disk.REAL,
        options.resources().memory());
  }

  private FollowedPartition partition(TopicId id, FollowedLog log) {
    return new FollowedPartition(
        name, id, log, new BoundsQuestion(admin, lanes), options.timing().maxStaleness());
  }

  /**
   * Begins to follow a cluster; it need not be there yet.
   *
   * @throws IOException if the directory can't be made, or another process has it
   * @throws IllegalArgumentException if Kafka's client doesn't take the settings
   */
  public static KafkaSource open(String name, KafkaOptions options) throws IOException {
    Files.createDirectories(options.directory());
    DirectoryLock processLock = DirectoryLock.take(options.directory());
    try {
      KafkaSource source = new KafkaSource(name, options, processLock);
      source.start();
      return source;
    } catch (RuntimeException e) {
      processLock.close();
      throw e;
    }
  }

  private void start() {
    every(options.timing().refresh(), Duration.ZERO, this::update);
    every(TELL_INTERVAL, TELL_INTERVAL, this::tell);
  }

  private void every(Duration interval, Duration delay, Runnable task) {
    ScheduledFuture<?> unused =
        options
            .resources()
            .scheduler()
            .scheduleWithFixedDelay(
                task, delay.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whatever fails is tried again after the interval. */
  private void update() {
    try {
      Map<String, ClusterAdmin.Topic> cluster = admin.topics(options.topics());
      synchronized (updating) {
        if (closed) {
          return;
        }
        if (!listed) {
          topics.deleteForgotten(cluster);
        }
        topics.update(cluster);
      }
      listed = true;
      problem = null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | IOException | RuntimeException e) {
      String now = String.valueOf(e.getMessage());
      if (!now.equals(problem)) {
        options.resources().events().refreshFailed(name, now);
      }
      problem = now;
    }
  }

  /** Tells how the following goes, when that has changed. */
  private void tell() {
    List<FollowedPartition> all = topics.partitions();
    Following now =
        new Following(
            all.size(),
            (int) all.stream().filter(FollowedPartition::isCaughtUp).count(),
            all.stream()
                .flatMap(partition -> partition.fault().stream())
                .findFirst()
                .map(FetchFault::message)
                .orElse(""));
    if (!now.equals(told)) {
      told = now;
      options
          .resources()
          .events()
          .progressed(name, now.partitionCount(), now.caughtUpCount(), now.failing());
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public SourceKind kind() {
    return SourceKind.KAFKA;
  }

  @Override
  public boolean isReady() {
    return listed
        && topics.partitions().stream().allMatch(p -> p.isCaughtUp() || p.fault().isPresent());
  }

  @Override
  public List<String> warnings() {
    List<String> all = new ArrayList<>();
    String now = problem;
    if (now != null) {
      all.add("the cluster can't be asked for its topics: " + now);
    }
    for (FollowedPartition partition : topics.partitions()) {
      partition.fault().ifPresent(fault -> all.add(partition.partition() + ": " + fault.message()));
    }
    return List.copyOf(all);
  }

  @Override
  public List<Log> preloadedLogs() {
    return topics.partitions().stream()
        .map(
            partition ->
                new Log(
                    partition.partition(),
                    partition.log().snapshot(),
                    partition.log()::cutLoadedHead))
        .toList();
  }

  @Override
  public List<TopicInfo> topics() {
    requireListed();
    return topics.all().values().stream().map(FollowedTopic::info).toList();
  }

  @Override
  public TopicInfo topic(String topic) {
    return existing(topic).info();
  }

  @Override
  public PartitionLogs logs(String topic) {
    return existing(topic);
  }

  @Override
  public List<StoredRecord> read(LogSnapshot log, ReadRange range, Cancellation cancellation) {
    return reader.read(range, log.endOffset(range.isolation()), cancellation);
  }

  @Override
  public boolean isFollower() {
    return true;
  }

  @Override
  public Map<TopicPartition, WhenceException> catchUp(
      Collection<TopicPartition> partitions, Cancellation cancellation) {
    CatchUp catchUp = new CatchUp(admin, options.timing().request(), cancellation);
    for (TopicPartition partition : partitions) {
      topics
          .find(partition.topic())
          .filter(topic -> partition.partition() < topic.count())
          .ifPresent(topic -> catchUp.add(topic.partition(partition.partition())));
    }
    return catchUp.await();
  }

  @Override
  public LogWatch watch(TopicPartition partition, long targetMs, Runnable onRecords) {
    return existing(partition.topic())
        .partition(partition.partition())
        .log()
        .watch(targetMs, onRecords);
  }

  @Override
  public long stalenessMs() {
    return 0; // Each partition has its own.
  }

  private FollowedTopic existing(String topic) {
    return topics.find(topic).orElseThrow(() -> unknown(topic));
  }

  private WhenceException unknown(String topic) {
    requireListed();
    return WhenceException.of(
        ErrorReason.UNKNOWN_TOPIC,
        "topic '"
            + topic
            + "' is not followed from source '"
            + name
            + "': the cluster does not have it, does not let this server see it, or it is left out by"
            + " whence.kafka."
            + name
            + ".topics or .exclude; a new one is noticed within "
            + options.timing().refresh(),
        "source",
        name,
        "topic",
        topic);
  }

  private void requireListed() {
    if (!listed) {
      String now = problem;
      throw WhenceException.of(
          ErrorReason.NOT_READY,
          "source '"
              + name
              + "' does not know its topics yet"
              + (now == null ? "; try again soon" : ": " + now),
          "source",
          name);
    }
  }

  /**
   * Follows no longer, and puts everything on disk.
   *
   * @throws IOException if that failed; then some is fetched again after the next start
   */
  @Override
  public void close() throws IOException {
    admin.close(); // What asks the cluster just now fails, and ends.
    try (processLock) {
      synchronized (updating) {
        closed = true;
      }
      lanes.close();
      topics.close();
      deleter.deletePending();
    }
  }
}
