package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.TopicPartition;
import io.whence.record.SourceRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one call wrote to the offsets topic: a batch. Thread safety: immutable.
 *
 * @param position where its first record is
 * @param op the call
 * @param group whose offsets; of the first record
 * @param offsets by record; an empty value removes
 * @param requestId of the request that it answers; empty for none
 */
record LoggedChange(
    long position, long op, String group, List<SequentialGroups.Write> offsets, String requestId) {

  /** Reads a partition of the offsets topic. The times of records are the ids of calls. */
  static List<LoggedChange> read(LogSnapshot log, long startMs) {
    List<LoggedChange> changes = new ArrayList<>();
    log.readAll(
        log.logStartOffset(),
        (batch, record) -> {
          if (changes.isEmpty() || last(changes).position() != batch.baseOffset()) {
            long op = record.timestampMs() - startMs;
            changes.add(new LoggedChange(batch.baseOffset(), op, "", List.of(), ""));
          }
          OffsetsKey key = OffsetsKey.parse(record.key());
          byte[] value = record.value();
          LoggedChange grown =
              key instanceof OffsetsKey.Offset offset
                  ? last(changes).plus(offset, committed(record.offset(), value, record.headers()))
                  : last(changes).answering((OffsetsKey.Request) key);
          changes.set(changes.size() - 1, grown);
          return true;
        },
        Cancellation.NONE);
    return changes;
  }

  private static LoggedChange last(List<LoggedChange> changes) {
    return changes.get(changes.size() - 1);
  }

  private static Optional<CommittedOffset> committed(
      long position, byte[] bytes, List<SourceRecord.Header> headers) {
    if (bytes == null) {
      return Optional.empty();
    }
    OffsetValue value = OffsetValue.parse(bytes);
    ChangeNote note = ChangeNote.find(headers).orElseThrow();
    return Optional.of(
        new CommittedOffset(
            value.nextOffset(),
            value.epoch(),
            value.metadata(),
            value.commitTimeMs(),
            value.expiryMs(),
            value.id(),
            note.fence(),
            note.renewal() ? note.previousPosition() : position));
  }

  private LoggedChange plus(OffsetsKey.Offset key, Optional<CommittedOffset> value) {
    List<SequentialGroups.Write> more = new ArrayList<>(offsets);
    more.add(new SequentialGroups.Write(new TopicPartition(key.topic(), key.partition()), value));
    return new LoggedChange(position, op, key.group(), List.copyOf(more), requestId);
  }

  private LoggedChange answering(OffsetsKey.Request key) {
    return new LoggedChange(position, op, key.group(), offsets, key.requestId());
  }
}
