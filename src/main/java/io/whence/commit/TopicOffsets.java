package io.whence.commit;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The offsets that a group has committed for one topic. Thread safety: immutable. */
final class TopicOffsets {
  static final TopicOffsets NONE = new TopicOffsets(new int[0], new CommittedOffset[0]);

  /** Ascending. */
  private final int[] partitions;

  /** The offset of the partition at the same index. */
  private final CommittedOffset[] offsets;

  private TopicOffsets(int[] partitions, CommittedOffset[] offsets) {
    this.partitions = partitions;
    this.offsets = offsets;
  }

  /** Returns offsets, by partition. */
  static TopicOffsets of(SortedMap<Integer, CommittedOffset> offsets) {
    return new TopicOffsets(
        offsets.keySet().stream().mapToInt(Integer::intValue).toArray(),
        offsets.values().toArray(CommittedOffset[]::new));
  }

  int size() {
    return partitions.length;
  }

  Optional<CommittedOffset> find(int partition) {
    int at = Arrays.binarySearch(partitions, partition);
    return at < 0 ? Optional.empty() : Optional.of(offsets[at]);
  }

  void forEach(Visitor visitor) {
    for (int i = 0; i < partitions.length; i++) {
      visitor.visit(partitions[i], offsets[i]);
    }
  }

  /** Returns these with changes; nothing removes what is committed. */
  TopicOffsets with(SortedMap<Integer, Optional<CommittedOffset>> changes) {
    return isReplacement(changes) ? replaced(changes) : merged(changes);
  }

  /** The usual commit: of partitions that have an offset. */
  private boolean isReplacement(SortedMap<Integer, Optional<CommittedOffset>> changes) {
    for (Map.Entry<Integer, Optional<CommittedOffset>> change : changes.entrySet()) {
      if (change.getValue().isEmpty() || Arrays.binarySearch(partitions, change.getKey()) < 0) {
        return false;
      }
    }
    return true;
  }

  private TopicOffsets replaced(SortedMap<Integer, Optional<CommittedOffset>> changes) {
    CommittedOffset[] next = offsets.clone();
    changes.forEach(
        (partition, offset) ->
            next[Arrays.binarySearch(partitions, partition)] = offset.orElseThrow());
    return new TopicOffsets(partitions, next);
  }

  private TopicOffsets merged(SortedMap<Integer, Optional<CommittedOffset>> changes) {
    TreeMap<Integer, CommittedOffset> all = new TreeMap<>();
    forEach(all::put);
    changes.forEach(
        (partition, offset) ->
            offset.ifPresentOrElse(
                committed -> all.put(partition, committed), () -> all.remove(partition)));
    return of(all);
  }

  /** Takes offsets one by one. */
  @FunctionalInterface
  interface Visitor {
    void visit(int partition, CommittedOffset offset);
  }
}
