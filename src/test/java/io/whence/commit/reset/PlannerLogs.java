package io.whence.commit.reset;

import io.whence.commit.Group;
import io.whence.commit.MapGroupOffsets;
import io.whence.log.TestLogs;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.resolve.WrittenLog;
import io.whence.testkit.Directories;
import io.whence.testkit.ManualClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A source, its group offsets and a planner over them, for tests. Thread safety: thread-safe. */
final class PlannerLogs implements AutoCloseable {
  static final long NOW_MS = 1_000_000;
  static final String GROUP = "g";
  static final TopicId OLD_ID = new TopicId(new UUID(7, 1));
  static final TopicId NEW_ID = new TopicId(new UUID(7, 2));

  final FixedLogs source = new FixedLogs();
  final ManualClock clock = new ManualClock(NOW_MS);
  final MapGroupOffsets offsets = new MapGroupOffsets(source, clock);
  final ResetPlanner planner = new ResetPlanner(new LogResolver(), clock);

  private final List<TestLogs.Loaded> open = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();

  /** Returns a partition of the topic that tests use. */
  static TopicPartition partition(int number) {
    return new TopicPartition("orders", number);
  }

  /** Puts a log into a partition, in the notation of {@link WrittenLog}. */
  PlannerLogs log(int number, long logStartOffset, String notation) {
    Path directory = Directories.temporary("whence-reset");
    TestLogs.Loaded loaded =
        new WrittenLog(directory).startingAt(logStartOffset).write(notation).load();
    directories.add(directory);
    open.add(loaded);
    source.put(partition(number), loaded.log(), NEW_ID);
    return this;
  }

  /** Returns a group as it is. */
  Group group(String name) {
    return offsets.group(name).orElseGet(() -> Group.empty(name));
  }

  /** Plans partitions that somebody named. */
  List<PlannedReset> plan(ResetTarget target, TopicPartition... partitions) {
    return plan(true, target, partitions);
  }

  /** Plans partitions. */
  List<PlannedReset> plan(boolean named, ResetTarget target, TopicPartition... partitions) {
    ResetRequest request =
        new ResetRequest(
            group(GROUP), List.of(partitions), named, target, IsolationLevel.READ_UNCOMMITTED);
    return planner.plan(
        request,
        source,
        Cancellation.NONE,
        (partition, fault) -> WhenceException.of(ErrorReason.INTERNAL, "the server failed"));
  }

  @Override
  public void close() {
    open.forEach(TestLogs.Loaded::close);
    directories.forEach(Directories::delete);
  }
}
