package io.whence.source.kafka;

import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * What only the cluster can be asked. Each question has a time limit. Thread safety: thread-safe.
 */
final class ClusterAdmin implements Leaders, AutoCloseable {
  private final RenewedAdmin admin;
  private final int limitMs;

  /**
   * Makes a client; it connects when it is first asked.
   *
   * @throws IllegalArgumentException if Kafka's client doesn't take the settings
   */
  ClusterAdmin(Map<String, Object> client, Duration requestLimit) {
    limitMs = Math.toIntExact(requestLimit.toMillis());
    admin = RenewedAdmin.create(settings(client, requestLimit), requestLimit);
  }

  /** Returns the settings of a client; those that are given come first. */
  static Map<String, Object> settings(Map<String, Object> given, Duration requestLimit) {
    Map<String, Object> settings = new HashMap<>();
    QuestionLimits.put(settings, given, requestLimit);
    if (!given.containsKey(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG)) { // Not below the other.
      settings.put(
          AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
          Math.toIntExact(requestLimit.toMillis()));
    }
    settings.putAll(given);
    return settings;
  }

  /**
   * A topic of the cluster.
   *
   * @param id its id
   * @param partitionCount how many partitions it has
   */
  record Topic(TopicId id, int partitionCount) {}

  /** Returns the topics that are followed, by name; those that it may not describe are left out. */
  Map<String, Topic> topics(KafkaOptions.Topics wanted)
      throws InterruptedException, ExecutionException, TimeoutException {
    ListTopicsOptions options = new ListTopicsOptions().timeoutMs(limitMs);
    Set<String> names =
        get(admin.client().listTopics(options).listings()).stream()
            .filter(listing -> !listing.isInternal() && wanted.contains(listing.name()))
            .map(TopicListing::name)
            .collect(Collectors.toSet());
    Map<String, Topic> topics = new TreeMap<>();
    if (names.isEmpty()) {
      return topics;
    }
    Map<String, KafkaFuture<TopicDescription>> descriptions =
        admin
            .client()
            .describeTopics(names, new DescribeTopicsOptions().timeoutMs(limitMs))
            .topicNameValues();
    for (Map.Entry<String, KafkaFuture<TopicDescription>> description : descriptions.entrySet()) {
      try {
        TopicDescription topic = get(description.getValue());
        topics.put(description.getKey(), new Topic(id(topic), topic.partitions().size()));
      } catch (ExecutionException e) {
        if (!isGone(e.getCause())) {
          throw e;
        }
      }
    }
    return topics;
  }

  @Override
  public Map<TopicPartition, CompletableFuture<LeaderOffset>> ask(
      Map<TopicPartition, Position> positions, IsolationLevel isolation, Duration limit) {
    if (positions.isEmpty()) {
      return Map.of();
    }
    Map<org.apache.kafka.common.TopicPartition, OffsetSpec> asked = new HashMap<>();
    positions.forEach((partition, position) -> asked.put(kafkas(partition), spec(position)));
    ListOffsetsOptions options =
        new ListOffsetsOptions(kafkas(isolation)).timeoutMs(Math.toIntExact(limit.toMillis()));
    ListOffsetsResult result = admin.client().listOffsets(asked, options);
    Map<TopicPartition, CompletableFuture<LeaderOffset>> answers = new HashMap<>();
    for (TopicPartition partition : positions.keySet()) {
      answers.put(
          partition,
          result
              .partitionResult(kafkas(partition))
              .toCompletionStage()
              .thenApply(ClusterAdmin::leaderOffset)
              .toCompletableFuture());
    }
    return answers;
  }

  private static OffsetSpec spec(Position position) {
    if (position instanceof Position.Earliest) {
      return OffsetSpec.earliest();
    } else if (position instanceof Position.Latest) {
      return OffsetSpec.latest();
    } else if (position instanceof Position.MaxTimestamp) {
      return OffsetSpec.maxTimestamp();
    } else if (position instanceof Position.AtOrAfter p && p.targetTimestampMs() >= 0) {
      return OffsetSpec.forTimestamp(
          p.targetTimestampMs()); // Below 0 it would be another question.
    }
    throw new IllegalArgumentException("brokers don't answer " + position);
  }

  private static org.apache.kafka.common.IsolationLevel kafkas(IsolationLevel isolation) {
    return isolation == IsolationLevel.READ_COMMITTED
        ? org.apache.kafka.common.IsolationLevel.READ_COMMITTED
        : org.apache.kafka.common.IsolationLevel.READ_UNCOMMITTED;
  }

  private static LeaderOffset leaderOffset(ListOffsetsResultInfo told) {
    return new LeaderOffset(told.offset(), told.timestamp(), told.leaderEpoch().orElse(-1));
  }

  @Override
  public Map<String, CompletableFuture<Map<Integer, Integer>>> nodes(Collection<String> topics) {
    return describe(topics, ClusterAdmin::nodes);
  }

  @Override
  public Map<String, CompletableFuture<TopicId>> ids(Collection<String> topics) {
    return describe(topics, ClusterAdmin::id);
  }

  private <T> Map<String, CompletableFuture<T>> describe(
      Collection<String> topics, Function<TopicDescription, T> wanted) {
    if (topics.isEmpty()) {
      return Map.of();
    }
    Map<String, CompletableFuture<T>> answers = new HashMap<>();
    admin
        .client()
        .describeTopics(topics, new DescribeTopicsOptions().timeoutMs(limitMs))
        .topicNameValues()
        .forEach(
            (topic, description) ->
                answers.put(
                    topic,
                    description.toCompletionStage().thenApply(wanted).toCompletableFuture()));
    return answers;
  }

  private static Map<Integer, Integer> nodes(TopicDescription topic) {
    Map<Integer, Integer> nodes = new HashMap<>();
    for (TopicPartitionInfo partition : topic.partitions()) {
      Node leader = partition.leader();
      if (leader != null && !leader.isEmpty()) {
        nodes.put(partition.partition(), leader.id());
      }
    }
    return nodes;
  }

  private static org.apache.kafka.common.TopicPartition kafkas(TopicPartition partition) {
    return new org.apache.kafka.common.TopicPartition(partition.topic(), partition.partition());
  }

  private <T> T get(KafkaFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(2L * limitMs, TimeUnit.MILLISECONDS); // The client ends it itself, before.
  }

  private static boolean isGone(@Nullable Throwable failure) {
    return failure instanceof UnknownTopicOrPartitionException
        || failure instanceof AuthorizationException;
  }

  /** Returns the questions about the log cleaner. */
  CleaningQuestions cleaning() {
    return new CleaningQuestions(admin, Duration.ofMillis(limitMs));
  }

  static TopicId id(TopicDescription topic) {
    return new TopicId(
        new UUID(
            topic.topicId().getMostSignificantBits(), topic.topicId().getLeastSignificantBits()));
  }

  @Override
  public void close() {
    admin.close();
  }
}
