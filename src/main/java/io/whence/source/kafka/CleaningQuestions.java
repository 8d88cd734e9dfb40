package io.whence.source.kafka;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeLogDirsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What a cluster is asked about the work of its log cleaner. What it does not tell is missing in
 * the answers. Each question has a time limit. Thread safety: thread-safe.
 */
final class CleaningQuestions {
  private final RenewedAdmin admin;
  private final int limitMs;

  CleaningQuestions(RenewedAdmin admin, Duration limit) {
    this.admin = admin;
    this.limitMs = Math.toIntExact(limit.toMillis());
  }

  /**
   * Which topics are compacted.
   *
   * @param compacted those that are
   * @param untold of which the cluster doesn't say whether they are, and why it doesn't
   */
  record Policies(Set<String> compacted, Map<String, String> untold) {}

  /** Asks which of some topics are compacted; one that is gone is not. */
  Policies policies(Collection<String> topics) throws InterruptedException {
    if (topics.isEmpty()) {
      return new Policies(Set.of(), Map.of());
    }
    Set<String> compacted = new HashSet<>();
    Map<String, String> untold = new HashMap<>();
    List<ConfigResource> resources =
        topics.stream().map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic)).toList();
    Map<ConfigResource, KafkaFuture<Config>> answers =
        admin
            .client()
            .describeConfigs(resources, new DescribeConfigsOptions().timeoutMs(limitMs))
            .values();
    for (Map.Entry<ConfigResource, KafkaFuture<Config>> answer : answers.entrySet()) {
      String topic = answer.getKey().name();
      try {
        if (isCompacted(get(answer.getValue()))) {
          compacted.add(topic);
        }
      } catch (ExecutionException | TimeoutException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
          untold.put(topic, KafkaText.of(e));
        }
      }
    }
    return new Policies(compacted, untold);
  }

  private static boolean isCompacted(Config config) {
    ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
    return policy != null
        && List.of(policy.value().split(",")).stream()
            .anyMatch(each -> each.strip().equals(TopicConfig.CLEANUP_POLICY_COMPACT));
  }

  /**
   * The copy of a partition that its leader has.
   *
   * @param leaderId the broker
   * @param sizeBytes how large its files are
   */
  record LeaderSize(int leaderId, long sizeBytes) {}

  /** Asks how large the copies of partitions are that their leaders have. */
  Map<TopicPartition, LeaderSize> sizes(Collection<TopicPartition> partitions)
      throws InterruptedException {
    Map<TopicPartition, Integer> leaders = leaders(partitions);
    if (leaders.isEmpty()) {
      return Map.of();
    }
    Map<TopicPartition, LeaderSize> sizes = new HashMap<>();
    Map<Integer, KafkaFuture<Map<String, LogDirDescription>>> answers =
        admin
            .client()
            .describeLogDirs(
                new HashSet<>(leaders.values()), new DescribeLogDirsOptions().timeoutMs(limitMs))
            .descriptions();
    for (Map.Entry<Integer, KafkaFuture<Map<String, LogDirDescription>>> answer :
        answers.entrySet()) {
      try {
        get(answer.getValue())
            .values()
            .forEach(disk -> addSizes(answer.getKey(), disk, leaders, sizes));
      } catch (ExecutionException | TimeoutException e) {
        // Not allowed, or away: its partitions are looked at as if something had been removed.
      }
    }
    return sizes;
  }

  private static void addSizes(
      int brokerId,
      LogDirDescription disk,
      Map<TopicPartition, Integer> leaders,
      Map<TopicPartition, LeaderSize> sizes) {
    disk.replicaInfos()
        .forEach(
            (kafkas, replica) -> {
              TopicPartition partition = new TopicPartition(kafkas.topic(), kafkas.partition());
              if (Objects.equals(leaders.get(partition), brokerId) && !replica.isFuture()) {
                sizes.put(partition, new LeaderSize(brokerId, replica.size()));
              }
            });
  }

  private Map<TopicPartition, Integer> leaders(Collection<TopicPartition> partitions)
      throws InterruptedException {
    Set<String> topics = partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet());
    Map<TopicPartition, Integer> leaders = new HashMap<>();
    for (KafkaFuture<TopicDescription> answer : describe(topics).values()) {
      try {
        TopicDescription topic = get(answer);
        for (TopicPartitionInfo info : topic.partitions()) {
          TopicPartition partition = new TopicPartition(topic.name(), info.partition());
          if (info.leader() != null && partitions.contains(partition)) {
            leaders.put(partition, info.leader().id());
          }
        }
      } catch (ExecutionException | TimeoutException e) {
        // As if something had been removed.
      }
    }
    return leaders;
  }

  /**
   * Asks whether the topic of a name is still the one of an id; no, if there is none of the name.
   *
   * @throws IOException if the cluster doesn't say
   */
  boolean hasId(String topic, TopicId id) throws IOException, InterruptedException {
    KafkaFuture<TopicDescription> answer =
        Objects.requireNonNull(describe(Set.of(topic)).get(topic), "a topic that was asked for");
    try {
      return ClusterAdmin.id(get(answer)).equals(id);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw new IOException(untold(topic, e), e);
    } catch (TimeoutException e) {
      throw new IOException(untold(topic, e), e);
    }
  }

  private static String untold(String topic, Exception why) {
    return "the cluster doesn't tell the id of topic '" + topic + "': " + KafkaText.of(why);
  }

  private Map<String, KafkaFuture<TopicDescription>> describe(Set<String> topics) {
    if (topics.isEmpty()) {
      return Map.of();
    }
    return admin
        .client()
        .describeTopics(topics, new DescribeTopicsOptions().timeoutMs(limitMs))
        .topicNameValues();
  }

  private <T> T get(KafkaFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(2L * limitMs, TimeUnit.MILLISECONDS); // The client ends it itself, before.
  }
}
