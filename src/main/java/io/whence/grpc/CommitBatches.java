package io.whence.grpc;

import io.whence.commit.CommitEntry;
import io.whence.commit.Expected;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.v1.CommitOffsetRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a CommitOffset request, checked, and sorted by group in one pass. Batches keep the
 * order of the request, so that results can be put back in order. Thread safety: single-writer.
 */
final class CommitBatches {
  /** In Kafka's format a group has 32,767 bytes; three times as many as this has in UTF-8. */
  static final int MAX_GROUP_CHARS = 1024;

  private static final int MAX_REQUEST_ID_CHARS = 128;

  private final CommitOffsetRequest request;
  private final List<Batch> batches = new ArrayList<>();
  private final Map<String, Batch> byGroup = new HashMap<>();

  /** The number of the batch of each entry. */
  private final int[] batchOfEntry;

  /** The one before, which is mostly the one that comes next too. */
  private @Nullable Batch lastBatch;

  private String lastTopic = "";
  private String lastIdText = "";
  private @Nullable TopicId lastId;

  private CommitBatches(CommitOffsetRequest request) {
    this.request = request;
    batchOfEntry = new int[request.getEntriesCount()];
  }

  /** Checks and sorts; the first entry that breaks a rule fails the call. */
  static CommitBatches of(CommitOffsetRequest request, CallLimits limits) {
    int count = request.getEntriesCount();
    FieldPath entries = FieldPath.of("entries");
    if (count == 0) {
      throw BadRequests.missing(entries, "give at least one");
    }
    if (count > limits.partitions()) {
      throw BadRequests.tooMany(entries, count, limits.partitions(), "entries");
    }
    GroupChecks.requireShort(
        request.getRequestId(), MAX_REQUEST_ID_CHARS, FieldPath.of("request_id"));
    GroupChecks.requireWriter(request.getWriter());
    CommitBatches batches = new CommitBatches(request);
    for (int i = 0; i < count; i++) {
      batches.add(i, request.getEntries(i));
    }
    batches.requireOneGroupIfAtomic();
    return batches;
  }

  /** Returns the batches, one for each group, in the order of their first entries. */
  List<Batch> all() {
    return batches;
  }

  /** Returns the number of the batch of an entry. */
  int batchOf(int entry) {
    return batchOfEntry[entry];
  }

  private void add(int index, io.whence.v1.CommitEntry entry) {
    Batch batch = batch(index, entry);
    batchOfEntry[index] = batch.number;
    check(index, entry);
    TopicPartition partition = new TopicPartition(topic(entry), entry.getPartition());
    if (!batch.partitions.add(partition)) {
      throw duplicate(index, batch, partition);
    }
    batch.entries.add(
        new CommitEntry(
            partition,
            entry.getNextOffset(),
            entry.hasLeaderEpoch() ? entry.getLeaderEpoch() : -1,
            entry.getMetadata(),
            expected(entry),
            entry.hasWriterEpoch() ? entry.getWriterEpoch() : -1,
            topicId(index, entry.getTopicId()),
            entry.getAllowRewind(),
            entry.getAllowOutOfRange()));
  }

  private Batch batch(int index, io.whence.v1.CommitEntry entry) {
    String group = entry.getGroup().isEmpty() ? request.getGroup() : entry.getGroup();
    Batch last = lastBatch;
    if (last != null && last.group.equals(group)) {
      return last;
    }
    Batch batch = byGroup.get(group);
    if (batch == null) {
      requireGroup(index, group);
      batch = new Batch(batches.size(), group, batches.isEmpty() ? batchOfEntry.length : 1);
      batches.add(batch);
      byGroup.put(group, batch);
    }
    lastBatch = batch;
    return batch;
  }

  private void requireGroup(int index, String group) {
    boolean ofRequest = request.getEntries(index).getGroup().isEmpty();
    FieldPath field = ofRequest ? FieldPath.of("group") : path(index, "group");
    if (group.isEmpty()) {
      throw BadRequests.missing(
          path(index, "group"), "name the group, here or in group for all entries");
    }
    GroupChecks.requireShort(group, MAX_GROUP_CHARS, field);
  }

  private static void check(int index, io.whence.v1.CommitEntry entry) {
    if (entry.getTopic().isEmpty()) {
      throw BadRequests.missing(path(index, "topic"), "give the name of a topic");
    }
    if (entry.getPartition() < 0) {
      throw negative(index, "partition", entry.getPartition(), "partitions count from 0");
    }
    if (!entry.hasNextOffset()) {
      throw BadRequests.missing(
          path(index, "next_offset"), "give the offset of the next record to read");
    }
    if (entry.getNextOffset() < 0) {
      throw negative(
          index,
          "next_offset",
          entry.getNextOffset(),
          "give the offset of the next record to read, or leave the entry out");
    }
    checkGuards(index, entry);
  }

  private static void checkGuards(int index, io.whence.v1.CommitEntry entry) {
    if (entry.getLeaderEpoch() < 0) {
      throw negative(index, "leader_epoch", entry.getLeaderEpoch(), "leave it unset for none");
    }
    if (entry.getWriterEpoch() < 0) {
      throw negative(index, "writer_epoch", entry.getWriterEpoch(), "leave it unset for none");
    }
    if (entry.hasExpectedOffset() && entry.getExpectNoOffset()) {
      throw BadRequests.invalid(
          path(index, "expect_no_offset"), true, "expected_offset is set too; set only one");
    }
    if (entry.getExpectedOffset() < 0) {
      throw negative(
          index,
          "expected_offset",
          entry.getExpectedOffset(),
          "set expect_no_offset if nothing should be committed");
    }
  }

  private static Expected expected(io.whence.v1.CommitEntry entry) {
    if (entry.getExpectNoOffset()) {
      return Expected.NOTHING;
    }
    return entry.hasExpectedOffset()
        ? new Expected.Offset(entry.getExpectedOffset())
        : Expected.ANYTHING;
  }

  /** One string for all entries of a topic in a row: its hash is worked out once. */
  private String topic(io.whence.v1.CommitEntry entry) {
    if (!entry.getTopic().equals(lastTopic)) {
      lastTopic = entry.getTopic();
    }
    return lastTopic;
  }

  private @Nullable TopicId topicId(int index, String text) {
    if (text.isEmpty()) {
      return null;
    }
    if (!text.equals(lastIdText)) {
      try {
        lastId = TopicId.parse(text);
      } catch (IllegalArgumentException e) {
        throw BadRequests.invalid(
            path(index, "topic_id"),
            text,
            "no topic id, which has 22 characters of URL-safe base64; take it from DescribeTopic");
      }
      lastIdText = text;
    }
    return lastId;
  }

  private RuntimeException duplicate(int index, Batch batch, TopicPartition partition) {
    int first = 0;
    while (batchOfEntry[first] != batch.number || !isOf(first, partition)) {
      first++;
    }
    return BadRequests.invalid(
        FieldPath.of("entries", index),
        partition,
        "partition "
            + partition.partition()
            + " of topic '"
            + BadRequests.shown(partition.topic())
            + "' is in entries["
            + first
            + "] too; give one entry for each partition of a group");
  }

  private boolean isOf(int index, TopicPartition partition) {
    io.whence.v1.CommitEntry entry = request.getEntries(index);
    return entry.getPartition() == partition.partition()
        && entry.getTopic().equals(partition.topic());
  }

  private void requireOneGroupIfAtomic() {
    if (request.getAtomic() && batches.size() > 1) {
      throw BadRequests.invalid(
          FieldPath.of("atomic"),
          true,
          "the entries are of "
              + batches.size()
              + " groups; make one call for each group, or leave atomic out");
    }
  }

  private static RuntimeException negative(int index, String name, long value, String wayOut) {
    return BadRequests.invalid(path(index, name), value, value + " is negative; " + wayOut);
  }

  private static FieldPath path(int index, String name) {
    return FieldPath.of("entries", index).child(name);
  }

  /** The entries of one group. Thread safety: single-writer. */
  static final class Batch {
    private final int number;
    private final String group;
    private final List<CommitEntry> entries;
    private final Set<TopicPartition> partitions;

    private Batch(int number, String group, int expectedCount) {
      this.number = number;
      this.group = group;
      entries = new ArrayList<>(expectedCount);
      partitions = new HashSet<>(expectedCount * 2);
    }

    /** Returns the group. */
    String group() {
      return group;
    }

    /** Returns its entries, in the order of the request. */
    List<CommitEntry> entries() {
      return entries;
    }
  }
}
