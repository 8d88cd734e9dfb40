package io.whence.server;

import io.whence.log.AppendBatch;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.log.LogSnapshot;
import io.whence.log.LogWatch;
import io.whence.model.ErrorReason;
import io.whence.model.OffsetRange;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.InternalTopic;
import io.whence.source.PartitionLogs;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import io.whence.source.WritableLogSource;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

/** A real embedded source with topics that go wrong on purpose. Thread safety: thread-safe. */
final class FakeSource implements WritableLogSource, AutoCloseable {
  /** Its logs fail with an exception that nobody expects. */
  static final String BROKEN = "broken";

  /** Its logs are damaged. */
  static final String DAMAGED = "damaged";

  /** Asking for it is a fault of the whole call. */
  static final String EXPLODING = "exploding";

  /** Asking for it fails the whole call, as what knows it is away. */
  static final String AWAY = "away";

  /** Its appends never end. */
  static final String STUCK = "stuck";

  /** Its trims wait for {@link #TRIMS} to open. */
  static final String GATED_TRIMS = "gated-trims";

  /** What trims of that topic wait for. */
  static final FakeResolver.Gate TRIMS = new FakeResolver.Gate();

  /** How many trims wait. */
  static final AtomicInteger TRIMS_WAITING = new AtomicInteger();

  /** Snapshots of topic {@link FakeResolver#GATE}. */
  private static final Set<LogSnapshot> GATED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
  private final ExecutorService opener = Executors.newFixedThreadPool(8);
  private final EmbeddedSource real;

  FakeSource(Path data) throws IOException {
    real =
        EmbeddedSource.open(
            "embedded",
            new EmbeddedOptions(
                data,
                () -> Instant.ofEpochMilli(ServerTestProfile.NOW_MS),
                threads,
                opener,
                threads,
                Duration.ofHours(1),
                Duration.ZERO,
                LogEvents.NOOP,
                LogMemory.usual()));
  }

  static boolean isGated(LogSnapshot log) {
    return GATED.contains(log);
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public SourceKind kind() {
    return real.kind();
  }

  @Override
  public boolean isReady() {
    return real.isReady();
  }

  @Override
  public List<String> warnings() {
    return List.of("made for tests");
  }

  @Override
  public List<TopicInfo> topics() {
    return real.topics();
  }

  @Override
  public TopicInfo topic(String topic) {
    if (topic.equals(EXPLODING)) {
      throw new IllegalStateException("a secret of the server");
    }
    if (topic.equals(AWAY)) {
      throw WhenceException.of(ErrorReason.NOT_READY, "is away");
    }
    return real.topic(topic);
  }

  @Override
  public PartitionLogs logs(String topic) {
    if (topic.equals(EXPLODING)) {
      throw new IllegalStateException("a secret of the server");
    }
    return new FakeLogs(topic, real.logs(topic));
  }

  @Override
  public LogWatch watch(TopicPartition partition, long targetMs, Runnable onRecords) {
    return real.watch(partition, targetMs, onRecords);
  }

  @Override
  public long stalenessMs() {
    return real.stalenessMs();
  }

  @Override
  public TopicInfo createTopic(String topic, int partitionCount, Map<String, String> config) {
    return real.createTopic(topic, partitionCount, config);
  }

  @Override
  public TopicInfo deleteTopic(String topic, Optional<TopicId> expected) {
    return real.deleteTopic(topic, expected);
  }

  @Override
  public CompletionStage<OffsetRange> append(TopicPartition partition, AppendBatch batch) {
    if (partition.topic().equals(STUCK)) {
      return new CompletableFuture<>();
    }
    if (partition.topic().equals(BROKEN)) {
      return CompletableFuture.failedFuture(new IllegalStateException("a secret of the server"));
    }
    return real.append(partition, batch);
  }

  @Override
  public Optional<InternalTopic> internalTopic(String name) {
    return real.internalTopic(name);
  }

  @Override
  public InternalTopic createInternalTopic(
      String name, int partitionCount, Map<String, String> config) {
    return real.createInternalTopic(name, partitionCount, config);
  }

  @Override
  public long trim(TopicPartition partition, long beforeOffset) {
    if (partition.topic().equals(GATED_TRIMS)) {
      awaitGate();
    }
    return real.trim(partition, beforeOffset);
  }

  private static void awaitGate() {
    TRIMS_WAITING.incrementAndGet();
    while (!TRIMS.isOpen(50)) {
      Thread.onSpinWait();
    }
    TRIMS_WAITING.decrementAndGet();
  }

  @Override
  public void close() throws IOException {
    real.close();
    opener.shutdownNow();
    threads.shutdownNow();
  }

  /**
   * Logs that go wrong on purpose.
   *
   * @param topic the topic
   * @param real the logs
   */
  private record FakeLogs(String topic, PartitionLogs real) implements PartitionLogs {
    @Override
    public int count() {
      return real.count();
    }

    @Override
    public LogSnapshot snapshot(int partition) {
      LogSnapshot log = real.snapshot(partition);
      if (topic.equals(BROKEN)) {
        throw new IllegalStateException("a secret of the server");
      }
      if (topic.equals(DAMAGED)) {
        throw WhenceException.of(
            ErrorReason.DAMAGED_LOG, "can't be read", "path", "/d/0.log", "position", 17);
      }
      if (topic.equals(FakeResolver.GATE)) {
        GATED.add(log);
      }
      return log;
    }
  }
}
