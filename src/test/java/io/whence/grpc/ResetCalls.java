package io.whence.grpc;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.whence.commit.ChangeCause;
import io.whence.commit.CommitEntry;
import io.whence.commit.CommitRequest;
import io.whence.commit.EmbeddedGroupOffsets;
import io.whence.commit.Expected;
import io.whence.commit.GroupOptions;
import io.whence.commit.reset.PlanLimits;
import io.whence.commit.reset.ResetPlanner;
import io.whence.commit.reset.ResetPlans;
import io.whence.log.AppendBatch;
import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.record.CompressionCodec;
import io.whence.record.SourceRecord;
import io.whence.resolve.LogResolver;
import io.whence.source.SourceCatalog;
import io.whence.source.embedded.EmbeddedOptions;
import io.whence.source.embedded.EmbeddedSource;
import io.whence.testkit.ManualClock;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.PartitionOffset;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;
import io.whence.v1.ResetTarget;
import io.whence.v1.ResetToLatest;
import io.whence.v1.ResetToOffsets;
import io.whence.v1.TimePoint;
import io.whence.v1.TopicPartitions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * Plans and applies over real logs and real group offsets. Partition 0 has four records, one a
 * second; partition 1 two; partition 2 none. Thread safety: single-writer.
 */
final class ResetCalls implements AutoCloseable {
  static final long NOW_MS = 1_700_000_100_000L;
  static final long FIRST_MS = 1_700_000_000_000L;
  private static final java.time.Duration PATIENCE = java.time.Duration.ofMinutes(2);
  static final ResetTarget LATEST =
      ResetTarget.newBuilder().setLatest(ResetToLatest.getDefaultInstance()).build();

  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
  final ManualClock clock = new ManualClock(NOW_MS);
  private final ResetPlans plans =
      new ResetPlans(
          new PlanLimits(java.time.Duration.ofMinutes(10), 100, 1_000), clock, new Random(1));
  final PlanResetHandler planner =
      new PlanResetHandler(new ResetPlanner(new LogResolver(), clock), plans);
  private final ApplyResetCalls applier = new ApplyResetCalls(plans);
  final EmbeddedSource source;
  final EmbeddedGroupOffsets offsets;

  /** Opens a topic of three partitions, the last of them empty. */
  ResetCalls(Path directory) throws IOException {
    this(directory, "local");
  }

  /** Opens the same as a source of this name. */
  ResetCalls(Path directory, String name) throws IOException {
    source =
        EmbeddedSource.open(
            name,
            new EmbeddedOptions(
                directory,
                clock,
                threads,
                Runnable::run,
                threads,
                java.time.Duration.ofDays(1),
                java.time.Duration.ofDays(1),
                LogEvents.NOOP,
                LogMemory.usual()));
    offsets =
        EmbeddedGroupOffsets.open(
            source,
            new GroupOptions(
                clock,
                java.time.Duration.ofDays(7),
                10,
                java.time.Duration.ofMinutes(15),
                1_000,
                4_096,
                1 << 20),
            Runnable::run);
    source.createTopic("orders", 3, Map.of());
    append(0, FIRST_MS, FIRST_MS + 1_000, FIRST_MS + 2_000, FIRST_MS + 3_000);
    append(1, FIRST_MS, FIRST_MS + 500);
  }

  @Override
  public void close() throws IOException {
    source.close();
    threads.shutdownNow();
  }

  private void append(int partition, long... timestampsMs) {
    List<SourceRecord> records =
        Arrays.stream(timestampsMs)
            .mapToObj(ms -> new SourceRecord(ms, null, new byte[20], List.of()))
            .toList();
    source
        .append(orders(partition), new AppendBatch(records, CompressionCodec.NONE))
        .toCompletableFuture()
        .join();
  }

  static TopicPartition orders(int partition) {
    return new TopicPartition("orders", partition);
  }

  void commit(String group, int partition, long offset) {
    CommitEntry entry =
        new CommitEntry(
            orders(partition), offset, -1, "", Expected.ANYTHING, -1, null, true, false);
    offsets
        .commit(
            new CommitRequest(group, List.of(entry), "", false, false, "app", ChangeCause.COMMIT),
            Cancellation.NONE)
        .durable()
        .toCompletableFuture()
        .join();
  }

  long committed(int partition) {
    return offsets.group("g").orElseThrow().offset(orders(partition)).orElseThrow().nextOffset();
  }

  CallScope scope(String rpc, int partitionLimit) {
    return new CallScope(
        rpc,
        NOW_MS,
        Caller.ofCurrentCall(),
        new OpenSources(new SourceCatalog(List.of(source)), Map.of(source.name(), offsets)),
        CallCancellation.ofCurrentCall(PATIENCE),
        new CallLimits(partitionLimit, 1, 1, 1, 1, PATIENCE),
        CallListener.NOOP);
  }

  static PlanResetRequest.Builder request(ResetTarget target, TopicPartitions... topics) {
    return PlanResetRequest.newBuilder()
        .setGroup("g")
        .setTarget(target)
        .addAllTopics(List.of(topics));
  }

  PlanResetResponse plan(ResetTarget target, TopicPartitions... topics) {
    return planner.answer(request(target, topics).build(), scope("PlanReset", 100));
  }

  ApplyResetResponse apply(String planId, Consumer<ApplyResetRequest.Builder> decision) {
    ApplyResetRequest.Builder request =
        ApplyResetRequest.newBuilder().setPlanId(planId).setWriter("on-call");
    decision.accept(request);
    return applier.apply(request.build(), scope("ApplyReset", 100)).toCompletableFuture().join();
  }

  WhenceException refusal(String planId, Consumer<ApplyResetRequest.Builder> decision) {
    return catchThrowableOfType(WhenceException.class, () -> apply(planId, decision));
  }

  static ResetTarget at(TimePoint.Builder time) {
    return ResetTarget.newBuilder().setAtOrAfter(time).build();
  }

  static ResetTarget atMs(long timestampMs) {
    return at(TimePoint.newBuilder().setEpochMs(timestampMs));
  }

  static TopicPartitions topic(String topic, Integer... partitions) {
    return TopicPartitions.newBuilder()
        .setTopic(topic)
        .addAllPartitions(List.of(partitions))
        .build();
  }

  static ResetTarget offsets(PartitionOffset... offsets) {
    return ResetTarget.newBuilder()
        .setOffsets(ResetToOffsets.newBuilder().addAllOffsets(List.of(offsets)))
        .build();
  }

  static PartitionOffset offset(int partition, long offset) {
    return PartitionOffset.newBuilder()
        .setTopic("orders")
        .setPartition(partition)
        .setOffset(offset)
        .build();
  }
}
