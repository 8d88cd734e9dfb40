package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.TopicInfo;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks up what the commits of one request need to know of their topics: everything that doesn't
 * depend on what is committed. Each topic is looked up once. Thread safety: single-writer.
 */
final class EntryChecks {
  private final LogSource source;
  private final int metadataMaxChars;
  private final Map<String, TopicInfo> topics = new HashMap<>();

  /**
   * Makes checks for one request.
   *
   * @param metadataMaxChars how many UTF-16 characters the metadata of a commit may have
   */
  EntryChecks(LogSource source, int metadataMaxChars) {
    this.source = source;
    this.metadataMaxChars = metadataMaxChars;
  }

  /** Checks an entry. */
  EntryFacts check(CommitEntry entry) {
    TopicPartition partition = entry.partition();
    try {
      TopicInfo topic = topic(partition.topic());
      TopicPartition known = new TopicPartition(topic.name(), partition.partition());
      LogSnapshot log = source.snapshot(known);
      requireTopicId(entry, topic.id());
      requireMetadataLength(entry, metadataMaxChars);
      return new EntryFacts(known, topic.id(), log.bounds(IsolationLevel.READ_UNCOMMITTED), null);
    } catch (WhenceException e) {
      return EntryFacts.refused(partition, e);
    }
  }

  private TopicInfo topic(String name) {
    TopicInfo known = topics.get(name);
    if (known == null) {
      known = source.topic(name);
      topics.put(name, known);
    }
    return known;
  }

  /** Fails with {@code STALE_TOPIC} if the entry is for a topic of another id. */
  static void requireTopicId(CommitEntry entry, @Nullable TopicId id) {
    TopicId wanted = entry.topicId();
    if (wanted != null && !wanted.equals(id)) {
      throw stale(entry.partition(), id, "has the id " + id + ", not " + wanted);
    }
  }

  static WhenceException stale(TopicPartition partition, @Nullable TopicId id, String problem) {
    String message =
        "topic '"
            + partition.topic()
            + "' "
            + problem
            + ": it was deleted and created again; look up offsets anew and commit with its topic_id";
    return id == null
        ? WhenceException.of(ErrorReason.STALE_TOPIC, message, "topic", partition.topic())
        : WhenceException.of(
            ErrorReason.STALE_TOPIC, message, "topic", partition.topic(), "topic_id", id);
  }

  /** Fails with {@code METADATA_TOO_LARGE} if the entry has more metadata than that. */
  static void requireMetadataLength(CommitEntry entry, int metadataMaxChars) {
    int length = entry.metadata().length();
    if (length > metadataMaxChars) {
      throw WhenceException.of(
          ErrorReason.METADATA_TOO_LARGE,
          "metadata: has "
              + length
              + " UTF-16 characters; "
              + metadataMaxChars
              + " are allowed (whence.groups.metadata-max-chars)",
          "topic",
          entry.partition().topic(),
          "partition",
          entry.partition().partition(),
          "length",
          length,
          "limit",
          metadataMaxChars);
    }
  }
}
