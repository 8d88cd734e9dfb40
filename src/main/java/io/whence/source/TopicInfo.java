package io.whence.source;

import io.whence.model.TopicId;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A topic of a source.
 *
 * @param name the name
 * @param id the id; null when the log does not say
 * @param partitionCount how many partitions it has: one more than the highest number
 * @param config its settings by Kafka's names; empty when the source doesn't know them
 */
public record TopicInfo(
    String name, @Nullable TopicId id, int partitionCount, Map<String, String> config) {
  /** Copies the settings. */
  public TopicInfo {
    config = Map.copyOf(config);
  }

  /** Returns the id, if the log says. */
  public Optional<TopicId> topicId() {
    return Optional.ofNullable(id);
  }
}
