package io.whence.cli;

import io.whence.v1.TopicSummary;

/** A topic in words. Immutable. */
public final class TopicWords {
  private TopicWords() {}

  /** Returns name, partitions, source and id of a topic. */
  public static String of(TopicSummary topic) {
    String words =
        topic.getTopic()
            + ": "
            + count(topic.getPartitionCount(), "partition")
            + ", source "
            + topic.getSource()
            + (topic.getTopicId().isEmpty() ? "" : ", id " + topic.getTopicId());
    return DisplayText.printable(words);
  }

  /** Returns a count with its noun, in the plural unless it is 1. */
  public static String count(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }
}
