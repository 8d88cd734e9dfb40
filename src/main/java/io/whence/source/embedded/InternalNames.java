package io.whence.source.embedded;

import io.whence.model.ErrorReason;
import io.whence.model.TopicName;
import io.whence.model.WhenceException;

/**
 * Keeps clients from writing the topics that only the server writes. Thread safety: thread-safe.
 */
final class InternalNames {
  private InternalNames() {}

  /**
   * Fails for an internal name.
   *
   * @throws WhenceException {@code INTERNAL_TOPIC}
   */
  static void refuse(String topic) {
    if (TopicName.isInternal(topic)) {
      throw WhenceException.of(
          ErrorReason.INTERNAL_TOPIC,
          "topic: '" + topic + "' is written by the server alone; " + insteadOf(topic),
          "topic",
          topic);
    }
  }

  private static String insteadOf(String topic) {
    return topic.equals(TopicName.GROUP_OFFSETS)
        ? "use CommitOffset, DeleteOffset and the other calls of GroupOffsetsService"
        : "choose another name";
  }

  /** Fails for the name of a topic that clients write. */
  static void require(String topic) {
    if (!TopicName.isInternal(topic)) {
      throw new IllegalArgumentException("'" + topic + "' is not the name of an internal topic");
    }
  }
}
