package io.whence.testkit;

import io.whence.log.LogSnapshot;
import io.whence.source.LogSource;
import io.whence.source.PartitionLogs;
import io.whence.source.SourceKind;
import io.whence.source.TopicInfo;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** A source of logs that a test gives: ready, with nothing to say. */
public abstract class GivenSource implements LogSource {
  private final String name;

  protected GivenSource(String name) {
    this.name = name;
  }

  /** Returns logs of partitions. */
  protected static PartitionLogs partitions(int count, IntFunction<LogSnapshot> logs) {
    return new PartitionLogs() {
      @Override
      public int count() {
        return count;
      }

      @Override
      public LogSnapshot snapshot(int partition) {
        return logs.apply(partition);
      }
    };
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public SourceKind kind() {
    return SourceKind.ARCHIVE;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public List<String> warnings() {
    return List.of();
  }

  @Override
  public List<TopicInfo> topics() {
    return List.of();
  }

  @Override
  public TopicInfo topic(String topic) {
    return new TopicInfo(topic, null, logs(topic).count(), Map.of());
  }

  @Override
  public long stalenessMs() {
    return 0;
  }
}
