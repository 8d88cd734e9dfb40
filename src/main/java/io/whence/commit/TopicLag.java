package io.whence.commit;

import java.util.OptionalLong;

/**
 * How far a group is behind in a topic. Thread safety: immutable.
 *
 * @param group the name of the group
 * @param topic the name of the topic
 * @param messages how many records are left to read, in all partitions whose lag is known
 * @param waitingMs for how many milliseconds the next record has been waiting where it has waited
 *     longest; negative where no such record has a timestamp
 */
public record TopicLag(String group, String topic, long messages, long waitingMs) {
  /** Rejects a negative number of records. */
  public TopicLag {
    if (messages < 0) {
      throw new IllegalArgumentException("messages: " + messages);
    }
  }

  /** Returns for how long the next record has been waiting, in milliseconds; see the component. */
  public OptionalLong stalenessMs() {
    return waitingMs < 0 ? OptionalLong.empty() : OptionalLong.of(waitingMs);
  }
}
