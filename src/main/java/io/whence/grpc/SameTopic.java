package io.whence.grpc;

import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import java.util.Optional;

/** Tells a topic from another one of its name. Thread safety: thread-safe. */
final class SameTopic {
  private SameTopic() {}

  /**
   * Requires that a topic is the one that it was; to be called after its log was read.
   *
   * @param before the id that it had before its log was taken; empty if it had none
   * @throws WhenceException {@code STALE_TOPIC} if not, {@code UNKNOWN_TOPIC} if there is none
   */
  @SuppressWarnings("OptionalUsedAsFieldOrParameterType")
  static void require(LogSource source, String topic, Optional<TopicId> before) {
    Optional<TopicId> now = source.topic(topic).topicId();
    if (!now.equals(before)) {
      throw WhenceException.of(
          ErrorReason.STALE_TOPIC,
          "topic '" + topic + "' was deleted and made anew meanwhile",
          "topic",
          topic,
          "topic_id",
          now.map(TopicId::toString).orElse(""));
    }
  }
}
