package io.whence.testkit;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates topics that can be written to at once. A broker tells of a topic before it leads its
 * partitions: a producer's first batch is then refused and its second taken, and the first never is
 * (KAFKA-15591). So whoever creates a topic waits until each leader answers for it.
 */
public final class KafkaTopics {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private KafkaTopics() {}

  /** Creates a topic whose partitions have one replica each, and returns its id. */
  public static Uuid create(Admin admin, String name, int partitions) {
    return create(admin, new NewTopic(name, partitions, (short) 1)).get(name);
  }

  /**
   * Creates topics.
   *
   * @return their ids by their names
   * @throws IllegalStateException if one can't be created, or isn't led in time
   */
  public static Map<String, Uuid> create(Admin admin, NewTopic... topics) {
    return create(admin, Arrays.asList(topics));
  }

  /** Like {@link #create(Admin, NewTopic...)}. */
  public static Map<String, Uuid> create(Admin admin, Collection<NewTopic> topics) {
    CreateTopicsResult created = admin.createTopics(topics);
    get(created.all());
    Map<String, Uuid> ids = new HashMap<>();
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (String name : created.values().keySet()) {
      ids.put(name, get(created.topicId(name)));
      for (int i = 0; i < get(created.numPartitions(name)); i++) {
        ends.put(new TopicPartition(name, i), OffsetSpec.latest());
      }
    }
    await().atMost(LIMIT).until(() -> isLed(admin, ends));
    return Map.copyOf(ids);
  }

  private static boolean isLed(Admin admin, Map<TopicPartition, OffsetSpec> ends)
      throws InterruptedException {
    try {
      admin.listOffsets(ends).all().get();
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false; // The client tries everything else again itself.
      }
      throw new IllegalStateException("could not ask for new topics", e);
    }
  }

  private static <T> T get(KafkaFuture<T> future) {
    try {
      return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while creating topics", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("could not create topics", e);
    }
  }
}
