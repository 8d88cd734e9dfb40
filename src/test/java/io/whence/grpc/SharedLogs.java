package io.whence.grpc;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.ClusterAnswer;
import io.whence.source.ClusterQuestion;
import io.whence.source.PartitionLogs;
import io.whence.source.TopicInfo;
import io.whence.testkit.GivenSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Topics of any size whose logs a test gives. Thread safety: single-writer. */
final class SharedLogs extends GivenSource {
  private final Map<String, PartitionLogs> topics = new TreeMap<>();
  private @Nullable Leaders leaders;
  private long stalenessMs = 5;

  private Function<ClusterQuestion, ClusterAnswer> cluster =
      question -> {
        throw new UnsupportedOperationException(question.toString());
      };

  int topicLookups;

  SharedLogs() {
    super("shared");
  }

  /** What has records that are not here yet. */
  @FunctionalInterface
  interface Leaders {
    /** Lets the logs have them; returns what failed. */
    Map<TopicPartition, WhenceException> follow(Collection<TopicPartition> partitions);
  }

  /** Lets the logs be copies. */
  void follow(Leaders newLeaders) {
    leaders = newLeaders;
  }

  /** Lets all logs be copies of this age. */
  void stalenessMs(long newStalenessMs) {
    stalenessMs = newStalenessMs;
  }

  /** Answers what the copies can't. */
  void answerAsCluster(Function<ClusterQuestion, ClusterAnswer> newCluster) {
    cluster = newCluster;
  }

  @Override
  public List<ClusterAnswer> askCluster(
      List<ClusterQuestion> questions, IsolationLevel isolation, Cancellation cancellation) {
    return questions.stream().map(cluster).toList();
  }

  @Override
  public boolean isFollower() {
    return leaders != null;
  }

  @Override
  public Map<TopicPartition, WhenceException> catchUp(
      Collection<TopicPartition> partitions, Cancellation cancellation) {
    return Objects.requireNonNull(leaders).follow(partitions);
  }

  /** Puts a topic there. */
  void put(String topic, int partitionCount, IntFunction<LogSnapshot> logs) {
    topics.put(
        topic,
        partitions(
            partitionCount,
            partition -> {
              if (partition >= partitionCount) {
                throw WhenceException.of(
                    ErrorReason.UNKNOWN_PARTITION,
                    "no partition " + partition,
                    "partition",
                    partition);
              }
              return logs.apply(partition);
            }));
  }

  @Override
  public PartitionLogs logs(String topic) {
    topicLookups++;
    PartitionLogs logs = topics.get(topic);
    if (logs == null) {
      throw WhenceException.of(ErrorReason.UNKNOWN_TOPIC, "no topic '" + topic + "'");
    }
    return logs;
  }

  @Override
  public List<TopicInfo> topics() {
    return topics.keySet().stream().map(this::topic).toList();
  }

  @Override
  public long stalenessMs() {
    return stalenessMs;
  }
}
