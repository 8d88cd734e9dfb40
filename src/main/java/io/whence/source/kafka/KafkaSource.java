package io.whence.source.kafka;

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
import io.whence.model.ClusterWait;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.source.LogSource;
import io.whence.source.PartitionLogs;
import io.whence.source.ReadRange;
import io.whence.source.SourceHealth;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.kafka.fetch.FetchLane;
import io.whence.source.kafka.fetch.FetchLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The topics of a Kafka cluster, followed: each partition into a log of this server, without keys
 * and values. Invariant: it never holds the only copy of anything. Thread safety: thread-safe.
 */
public final class KafkaSource implements LogSource, PreloadSource, AutoCloseable {
  private static final int CHECKPOINT_BYTES = 16 << 20;

  /** Which part of the time that a caller has left is kept for the answer. */
  private static final int ANSWER_SHARE = 5;

  /** A cluster that is away has as many warnings as partitions: the first say why. */
  private static final int MAX_WARNINGS = 20;

  private static final Duration DELETE_DELAY = Duration.ofMinutes(1);
  private static final Duration TELL_INTERVAL = Duration.ofSeconds(5);
  private static final Duration START_INTERVAL = Duration.ofSeconds(1);
  private static final Duration PROVE_INTERVAL = Duration.ofSeconds(2);
  private static final Duration REPAIR_INTERVAL = Duration.ofSeconds(2);

  private final String name;
  private final KafkaOptions options;
  private final ClusterAdmin admin;
  private final ClusterReader reader;
  private final SourceTasks tasks;
  private final Lanes lanes;
  private final StartOffsets configured;
  private final StartOffsets earliest;
  private final Starts starts;
  private final ClusterTopics topics;
  private final TopicRefresh refresh;
  private final HeadProofs proofs;
  private final Compactions compactions;
  private final FollowingProgress progress;
  private final DamageRepair repair;
  private final DelayedDeleter deleter;
  private final FollowingHealth health;
  private final DirectoryLock processLock;

  private KafkaSource(String name, KafkaOptions options, DirectoryLock processLock) {
    this.name = name;
    this.processLock = processLock;
    this.options = options;
    this.admin = new ClusterAdmin(options.client(), options.timing().request());
    this.reader = new ClusterReader(name, options.client(), options.timing().request());
    this.health = new FollowingHealth(options.timing().maxStaleness(), System::nanoTime);
    this.deleter = new DelayedDeleter(options.resources().scheduler(), DELETE_DELAY);
    this.tasks =
        new SourceTasks(name, options.resources().scheduler(), options.resources().events());
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
                            options.resources().events()))
                .toList());
    this.configured = starting(options.start());
    this.earliest = starting(new StartPoint.Earliest());
    this.starts = new Starts(admin, configured, lanes, tasks);
    this.topics = new ClusterTopics(options.directory(), environment(), this::partition, starts);
    this.refresh =
        new TopicRefresh(
            name,
            options,
            () -> admin.topics(options.topics()),
            topics,
            starts,
            new ForgottenTopics(options.directory(), admin::ids, options.timing().request()));
    this.proofs = new HeadProofs(admin, topics::partitions, tasks, options.timing().request());
    this.progress = new FollowingProgress(name, topics::partitions, options.resources().events());
    this.repair = new DamageRepair(name, topics::partitions, lanes, options.resources().events());
    this.compactions = new Compactions(name, topics::partitions, admin, options);
  }

  private StartOffsets starting(StartPoint point) {
    return new StartOffsets(admin, point, options.resources().clock(), options.timing().request());
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

  /** Everything is new in what the cluster did not have at first. */
  private FollowedPartition partition(TopicId id, FollowedLog log) {
    boolean isOld = topics.wasThereAtFirst(id, log.partition().partition());
    return new FollowedPartition(
        name,
        id,
        log,
        new BoundsQuestion(isOld ? configured : earliest, lanes),
        options.timing().maxStaleness());
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
    refresh.start();
    tasks.every(TELL_INTERVAL, TELL_INTERVAL, progress::tell);
    tasks.every(START_INTERVAL, START_INTERVAL, starts::ask);
    tasks.every(PROVE_INTERVAL, PROVE_INTERVAL, proofs::look);
    tasks.every(REPAIR_INTERVAL, REPAIR_INTERVAL, repair::look);
    tasks.every(TELL_INTERVAL, TELL_INTERVAL, this::tellOfLastingFaults);
    compactions.start();
  }

  private void tellOfLastingFaults() {
    topics.partitions().forEach(FollowedPartition::tellOfLastingFault);
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
    return refresh.isListed()
        && topics.partitions().stream().allMatch(p -> p.isCaughtUp() || p.fault().isPresent());
  }

  @Override
  public SourceHealth health() {
    return health.look(
        refresh.hasTold(), refresh.isListed(), refresh.problem(), topics.partitions());
  }

  /**
   * Returns whether the cluster has told its topics since the start; their logs may not be open.
   */
  public boolean hasToldTopics() {
    return refresh.hasTold();
  }

  @Override
  public List<String> warnings() {
    List<String> all = new ArrayList<>(refresh.warnings());
    for (FollowedPartition partition : topics.partitions()) {
      FollowingProgress.failing(partition).ifPresent(all::add);
    }
    all.addAll(compactions.warnings());
    if (all.size() <= MAX_WARNINGS) {
      return List.copyOf(all);
    }
    int more = all.size() - MAX_WARNINGS;
    List<String> first = new ArrayList<>(all.subList(0, MAX_WARNINGS));
    first.add("and " + more + " more of these; describe shows each partition of a topic");
    return List.copyOf(first);
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
    refresh.requireListed();
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
    FollowedPartition partition = existing(range.partition());
    try (ClusterWait unused = ClusterWait.begin()) {
      try {
        List<StoredRecord> records =
            reader.read(range, log.endOffset(range.isolation()), cancellation);
        requireSameTopic(partition, cancellation);
        return records;
      } catch (WhenceException e) {
        if (e.reason() == ErrorReason.OFFSET_OUT_OF_RANGE) {
          requireSameTopic(partition, cancellation);
        }
        throw e;
      }
    }
  }

  private void requireSameTopic(FollowedPartition partition, Cancellation cancellation) {
    String topic = partition.partition().topic();
    new LeaderWait(limit(cancellation), cancellation)
        .awaitSameTopic(
            partition,
            Objects.requireNonNull(admin.ids(List.of(topic)).get(topic), "an id or a failure"));
  }

  @Override
  public boolean isFollower() {
    return true;
  }

  @Override
  public Map<TopicPartition, WhenceException> catchUp(
      Collection<TopicPartition> partitions, Cancellation cancellation) {
    CatchUp catchUp = new CatchUp(admin, limit(cancellation), cancellation);
    for (TopicPartition partition : partitions) {
      topics
          .find(partition.topic())
          .filter(topic -> partition.partition() < topic.count())
          .map(topic -> topic.partition(partition.partition()))
          .ifPresent(catchUp::add);
    }
    return catchUp.await();
  }

  /** Leaves a caller time for the answer, in which what did not come in time fails alone. */
  private Duration limit(Cancellation cancellation) {
    Duration remaining = Duration.ofNanos(Math.max(0, cancellation.remainingNanos()));
    Duration share = remaining.minus(remaining.dividedBy(ANSWER_SHARE));
    Duration limit = options.timing().request();
    return share.compareTo(limit) < 0 ? share : limit;
  }

  @Override
  public List<ClusterAnswer> askCluster(
      List<ClusterQuestion> questions, IsolationLevel isolation, Cancellation cancellation) {
    try (ClusterWait unused = ClusterWait.begin()) {
      return new BrokerAnswers(admin, limit(cancellation), isolation, cancellation, tasks)
          .answer(questions, this::existing);
    } catch (WhenceException e) {
      cancellation.check();
      return Collections.nCopies(questions.size(), ClusterAnswer.failed(e)); // No room to wait.
    }
  }

  private FollowedPartition existing(TopicPartition partition) {
    return existing(partition.topic()).partition(partition.partition());
  }

  @Override
  public LogWatch watch(TopicPartition partition, long targetMs, Runnable onRecords) {
    return existing(partition).log().watch(targetMs, onRecords);
  }

  @Override
  public long stalenessMs() {
    return 0; // Each partition has its own.
  }

  private FollowedTopic existing(String topic) {
    return topics.find(topic).orElseThrow(() -> refresh.unknown(topic));
  }

  /**
   * Follows no longer, and puts everything on disk.
   *
   * @throws IOException if that failed; then some is fetched again after the next start
   */
  @Override
  public void close() throws IOException {
    refresh.stop(); // It ends while compactions are waited for, and tells of nothing any more.
    admin.close(); // What asks the cluster just now fails, and ends.
    boolean isClosed = true;
    try {
      compactions.close();
      refresh.close();
      starts.close();
      lanes.close();
      isClosed = topics.close(options.resources().threads());
      isClosed &= refresh.hasEnded(); // Else it may be opening a log, which nobody knows yet.
      deleter.deletePending();
    } finally {
      if (isClosed) {
        processLock.close(); // Else the end of this process lets go of it.
      }
    }
    if (!isClosed) {
      throw new IOException("not all is on disk: it takes too long; the next start fetches it");
    }
  }
}
