package io.whence.commit;

import io.whence.model.TopicId;
import io.whence.record.SourceRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes groups of the records of the offsets topic, in order of their offsets: the last one of a
 * key holds, and one without a value removes. Thread safety: single-writer.
 */
final class OffsetsFold {
  private final Map<String, Draft> groups = new HashMap<>();
  private final Map<String, String> topics = new HashMap<>();
  private final Map<TopicId, TopicId> topicIds = new HashMap<>();

  /** A group in the making. */
  private static final class Draft {
    private final TreeMap<String, TreeMap<Integer, CommittedOffset>> offsets = new TreeMap<>();
    private final Map<String, String> members = new HashMap<>();
    private GroupState state = GroupState.SIMPLE;
  }

  /**
   * Adds a record.
   *
   * @param position the offset of the record
   * @throws MalformedRecordException if the value of an offset is not one
   */
  void add(
      long position, OffsetsKey key, byte @Nullable [] value, List<SourceRecord.Header> headers) {
    if (key instanceof OffsetsKey.Offset offset) {
      addOffset(position, offset, value, headers);
    } else if (key instanceof OffsetsKey.ClassicGroup classic) {
      draft(classic.group()).state = value == null ? GroupState.SIMPLE : classicState(value);
    } else if (key instanceof OffsetsKey.ConsumerGroup consumer) {
      draft(consumer.group()).state =
          value == null ? GroupState.SIMPLE : new GroupState(GroupKind.CONSUMER, 0, -1);
    } else if (key instanceof OffsetsKey.ConsumerMember member) {
      Map<String, String> members = draft(member.group()).members;
      if (value == null) {
        members.remove(member.member());
      } else {
        members.put(member.member(), member.member());
      }
    }
  }

  private Draft draft(String group) {
    return groups.computeIfAbsent(group, name -> new Draft());
  }

  private static GroupState classicState(byte[] value) {
    try {
      return GroupMetadata.parse(value);
    } catch (MalformedRecordException e) {
      return GroupState.UNREADABLE; // The offsets are good all the same.
    }
  }

  private void addOffset(
      long position,
      OffsetsKey.Offset key,
      byte @Nullable [] value,
      List<SourceRecord.Header> headers) {
    if (value == null) {
      remove(key);
      return;
    }
    CommittedOffset committed = committed(position, OffsetValue.parse(value), headers);
    draft(key.group())
        .offsets
        .computeIfAbsent(topics.computeIfAbsent(key.topic(), name -> name), name -> new TreeMap<>())
        .put(key.partition(), committed);
  }

  private void remove(OffsetsKey.Offset key) {
    Draft draft = groups.get(key.group());
    TreeMap<Integer, CommittedOffset> ofTopic =
        draft == null ? null : draft.offsets.get(key.topic());
    if (draft != null && ofTopic != null) {
      ofTopic.remove(key.partition());
      if (ofTopic.isEmpty()) {
        draft.offsets.remove(key.topic());
      }
    }
  }

  private CommittedOffset committed(
      long position, OffsetValue value, List<SourceRecord.Header> headers) {
    Optional<ChangeNote> note = ChangeNote.find(headers);
    long changePosition =
        note.filter(ChangeNote::renewal).map(ChangeNote::previousPosition).orElse(position);
    TopicId id = value.id();
    return new CommittedOffset(
        value.nextOffset(),
        value.epoch(),
        value.metadata(),
        value.commitTimeMs(),
        value.expiryMs(),
        id == null ? null : topicIds.computeIfAbsent(id, same -> same),
        note.map(ChangeNote::fence).orElse(-1L),
        changePosition);
  }

  /** Returns the groups that have offsets, by name. */
  Map<String, Group> groups() {
    Map<String, Group> made = new HashMap<>();
    groups.forEach(
        (name, draft) -> {
          if (!draft.offsets.isEmpty()) {
            made.put(name, Group.of(name, stateOf(draft), draft.offsets));
          }
        });
    return made;
  }

  private static GroupState stateOf(Draft draft) {
    return draft.state.kind() == GroupKind.CONSUMER
        ? new GroupState(GroupKind.CONSUMER, draft.members.size(), -1)
        : draft.state;
  }
}
