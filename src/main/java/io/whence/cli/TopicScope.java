package io.whence.cli;

import io.whence.v1.TopicPartitions;
import java.util.List;

/** Topics with partitions as people write them: {@code orders}, {@code orders:0-3,7}. Immutable. */
final class TopicScope {
  private TopicScope() {}

  /**
   * Reads a topic, which stands for all its partitions, or a topic with a list of them.
   *
   * @throws BadInputException if the text, given for the option {@code field}, is neither
   */
  static TopicPartitions parse(String field, String text) {
    String plain = text.strip();
    // No topic has a colon in its name.
    int colon = plain.indexOf(':');
    String topic = colon < 0 ? plain : plain.substring(0, colon).strip();
    String list = colon < 0 ? "" : plain.substring(colon + 1);
    if (topic.isEmpty() || (colon >= 0 && list.isBlank())) {
      throw new BadInputException(
          field, field + " '" + text + "': write a topic, or some of it such as orders:0-3,7");
    }
    return TopicPartitions.newBuilder()
        .setTopic(topic)
        .addAllPartitions(PartitionList.parse(field, list))
        .build();
  }

  /** Reads several; see {@link #parse}. */
  static List<TopicPartitions> parseAll(String field, List<String> texts) {
    return texts.stream().map(text -> parse(field, text)).toList();
  }
}
