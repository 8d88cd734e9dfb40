package io.whence.source.kafka;

import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Who is asked for offsets: the leaders of partitions. Nothing waits here, and each partition has
 * its own future: one leader that is away keeps no other from answering. Thread safety:
 * thread-safe.
 *
 * <p>A partition without leader must not be asked about: Kafka's client looks for one without any
 * pause, thousands of times a second.
 */
interface Leaders {
  /**
   * Asks for one position of each partition; each leader gets one question.
   *
   * @param positions earliest, latest, at or after a time of 0 or above, or the largest timestamp
   * @param limit how long it may take; then the futures fail
   */
  Map<TopicPartition, CompletableFuture<LeaderOffset>> ask(
      Map<TopicPartition, Position> positions, IsolationLevel isolation, Duration limit);

  /**
   * Asks who leads.
   *
   * @return the node ids of leaders by partition number, for each topic; nothing of partitions that
   *     have none
   */
  Map<String, CompletableFuture<Map<Integer, Integer>>> nodes(Collection<String> topics);

  /** Asks which ids the topics of these names have now; one question for all. */
  Map<String, CompletableFuture<TopicId>> ids(Collection<String> topics);
}
