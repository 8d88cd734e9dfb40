package io.whence.source;

import io.whence.log.AppendBatch;
import io.whence.model.OffsetRange;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A source whose logs can be written. Thread safety: thread-safe.
 *
 * <p>Internal topics are written through {@link InternalTopic} only; {@link #createTopic}, {@link
 * #deleteTopic}, {@link #append} and {@link #trim} refuse their names with {@code INTERNAL_TOPIC}.
 */
public interface WritableLogSource extends LogSource {
  /**
   * Makes a topic with empty partitions; durable when it returns.
   *
   * @param config settings by Kafka's names; unknown ones and bad values are refused
   */
  TopicInfo createTopic(String topic, int partitionCount, Map<String, String> config);

  /**
   * Removes a topic with its records; durable when it returns.
   *
   * @param expected removes it only if it has this id
   */
  TopicInfo deleteTopic(String topic, Optional<TopicId> expected);

  /**
   * Appends one batch. Doesn't wait: the stage completes when the batch is on disk, with the
   * offsets of its records, or fails with a {@link io.whence.model.WhenceException} when it is not
   * in the log.
   */
  CompletionStage<OffsetRange> append(TopicPartition partition, AppendBatch batch);

  /**
   * Raises the log start offset; durable when it returns.
   *
   * @return the log start offset as it is now
   */
  long trim(TopicPartition partition, long beforeOffset);

  /**
   * Returns a topic that only the server writes, if it exists.
   *
   * @param name an internal name, by {@link io.whence.model.TopicName#isInternal}
   */
  Optional<InternalTopic> internalTopic(String name);

  /**
   * Makes a topic that only the server writes; durable when it returns. One that exists is returned
   * as it is, whatever its partitions and settings.
   *
   * @param name an internal name, by {@link io.whence.model.TopicName#isInternal}
   * @param config settings by Kafka's names; unknown ones and bad values are refused
   */
  InternalTopic createInternalTopic(String name, int partitionCount, Map<String, String> config);
}
