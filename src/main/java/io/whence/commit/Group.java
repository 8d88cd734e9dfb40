package io.whence.commit;

import io.whence.model.TopicPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A group as it was at one moment. Changing it makes another one. Thread safety: immutable.
 *
 * <p>Small on purpose: a server keeps a hundred thousand of these. The offsets of a topic lie in an
 * array beside the numbers of their partitions.
 */
public final class Group {
  private static final String[] NO_TOPICS = {};
  private static final TopicOffsets[] NO_OFFSETS = {};

  private final String name;
  private final GroupState state;

  /** Ascending. */
  private final String[] topics;

  /** Those of the topic at the same index; none is empty. */
  private final TopicOffsets[] offsets;

  private Group(String name, GroupState state, String[] topics, TopicOffsets[] offsets) {
    this.name = name;
    this.state = state;
    this.topics = topics;
    this.offsets = offsets;
  }

  /** Returns a group without offsets. */
  public static Group empty(String name) {
    return new Group(name, GroupState.SIMPLE, NO_TOPICS, NO_OFFSETS);
  }

  /** Returns a group with offsets, by topic and partition; no topic is without any. */
  public static Group of(
      String name,
      GroupState state,
      SortedMap<String, ? extends SortedMap<Integer, CommittedOffset>> offsets) {
    return new Group(
        name,
        state,
        offsets.keySet().toArray(String[]::new),
        offsets.values().stream().map(TopicOffsets::of).toArray(TopicOffsets[]::new));
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns what is known of its members. */
  public GroupState state() {
    return state;
  }

  /** Returns whether nothing is committed. */
  public boolean isEmpty() {
    return topics.length == 0;
  }

  /** Returns the topics of its offsets, by name. */
  public List<String> topics() {
    return List.of(topics);
  }

  /** Returns how many offsets are committed. */
  public int offsetCount() {
    int count = 0;
    for (TopicOffsets ofTopic : offsets) {
      count += ofTopic.size();
    }
    return count;
  }

  /** Returns what is committed for a partition. */
  public Optional<CommittedOffset> offset(TopicPartition partition) {
    return offset(partition.topic(), partition.partition());
  }

  /** Returns what is committed for a partition. */
  public Optional<CommittedOffset> offset(String topic, int partition) {
    int at = Arrays.binarySearch(topics, topic);
    return at < 0 ? Optional.empty() : offsets[at].find(partition);
  }

  /** Returns the partitions of its offsets, by topic and partition. */
  public List<TopicPartition> partitions() {
    List<TopicPartition> partitions = new ArrayList<>();
    forEach((topic, partition, offset) -> partitions.add(new TopicPartition(topic, partition)));
    return partitions;
  }

  /** Visits all offsets, by topic and partition. */
  public void forEach(Visitor visitor) {
    for (int i = 0; i < topics.length; i++) {
      String topic = topics[i];
      offsets[i].forEach((partition, offset) -> visitor.visit(topic, partition, offset));
    }
  }

  /**
   * Returns the group with changes.
   *
   * @param changes by topic and partition; nothing removes what is committed
   */
  Group with(Map<String, ? extends SortedMap<Integer, Optional<CommittedOffset>>> changes) {
    TreeMap<String, TopicOffsets> next = new TreeMap<>();
    for (int i = 0; i < topics.length; i++) {
      next.put(topics[i], offsets[i]);
    }
    changes.forEach(
        (topic, ofTopic) -> {
          TopicOffsets changed = next.getOrDefault(topic, TopicOffsets.NONE).with(ofTopic);
          if (changed.size() == 0) {
            next.remove(topic);
          } else {
            next.put(topic, changed);
          }
        });
    return new Group(
        name,
        state,
        next.keySet().toArray(String[]::new),
        next.values().toArray(TopicOffsets[]::new));
  }

  /** Returns the group without offsets of some partitions. */
  Group without(List<TopicPartition> partitions) {
    Map<String, TreeMap<Integer, Optional<CommittedOffset>>> changes = new TreeMap<>();
    for (TopicPartition partition : partitions) {
      changes
          .computeIfAbsent(partition.topic(), topic -> new TreeMap<>())
          .put(partition.partition(), Optional.empty());
    }
    return with(changes);
  }

  /** Takes offsets one by one. */
  @FunctionalInterface
  public interface Visitor {
    /** Takes one offset. */
    void visit(String topic, int partition, CommittedOffset offset);
  }
}
