package io.whence.commit;

import io.whence.model.TopicId;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes committed offsets and groups for tests. */
public final class Commits {
  private Commits() {}

  /** Makes a commit that doesn't say for which topic it is. */
  public static CommittedOffset offset(long nextOffset) {
    return offset(nextOffset, null);
  }

  /** Makes a commit for a topic of this id. */
  public static CommittedOffset offset(long nextOffset, @Nullable TopicId id) {
    return new CommittedOffset(nextOffset, -1, "", 0, -1, id, -1, -1);
  }

  /** Makes a group with these offsets, by topic and partition. */
  public static Group group(String name, Map<String, Map<Integer, CommittedOffset>> offsets) {
    Map<String, TreeMap<Integer, Optional<CommittedOffset>>> changes = new TreeMap<>();
    offsets.forEach(
        (topic, ofTopic) ->
            ofTopic.forEach(
                (partition, offset) ->
                    changes
                        .computeIfAbsent(topic, key -> new TreeMap<>())
                        .put(partition, Optional.of(offset))));
    return Group.empty(name).with(changes);
  }
}
