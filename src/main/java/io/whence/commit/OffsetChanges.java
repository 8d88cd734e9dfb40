package io.whence.commit;

import io.whence.model.TopicPartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects the latest changes of the offsets of one group from the records of an offsets topic in
 * Kafka's format, front to back. A removed offset ends what was before it. What the first record of
 * a partition changed is not known: the log cleaner may have removed older ones. Thread safety:
 * single-writer.
 */
public final class OffsetChanges {
  private final String group;
  private final int limit;
  private final Map<TopicPartition, Deque<OffsetChange>> changes = new HashMap<>();

  /**
   * Makes one without changes.
   *
   * @param limit how many to keep of each partition, at least 1
   */
  public OffsetChanges(String group, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit: " + limit + " is not positive");
    }
    this.group = group;
    this.limit = limit;
  }

  /**
   * Takes the next record; those of other groups, and those that are not of offsets, change
   * nothing.
   *
   * @param partition the partition of the offsets topic, for messages
   * @param position where the record is in it
   * @param key its key; null for none
   * @param value its value; null for a removed offset
   * @throws io.whence.model.WhenceException {@code UNSUPPORTED_FORMAT} if it can't be understood
   */
  public void add(
      TopicPartition partition, long position, byte @Nullable [] key, byte @Nullable [] value) {
    if (key == null) {
      return;
    }
    try {
      if (OffsetsKey.parse(key) instanceof OffsetsKey.Offset offset
          && offset.group().equals(group)) {
        add(new TopicPartition(offset.topic(), offset.partition()), value);
      }
    } catch (MalformedRecordException e) {
      throw StoredCommits.malformed(partition.toString(), position, e);
    }
  }

  private void add(TopicPartition of, byte @Nullable [] value) {
    if (value == null) {
      changes.remove(of);
      return;
    }
    OffsetValue now = OffsetValue.parse(value);
    Deque<OffsetChange> known = changes.computeIfAbsent(of, none -> new ArrayDeque<>());
    OffsetChange last = known.peekLast();
    long before = last == null ? -1 : last.after();
    if (known.size() == limit) {
      known.removeFirst();
    }
    known.addLast(
        new OffsetChange(
            now.commitTimeMs(), "", before, now.nextOffset(), "", ChangeCause.UNKNOWN));
  }

  /** Returns the changes of a partition, newest first. */
  public List<OffsetChange> of(TopicPartition partition) {
    List<OffsetChange> newestFirst = new ArrayList<>();
    changes
        .getOrDefault(partition, new ArrayDeque<>())
        .descendingIterator()
        .forEachRemaining(newestFirst::add);
    return newestFirst;
  }
}
