package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.log.StoredRecord;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads single records of the offsets topic. */
final class StoredCommits {
  private StoredCommits() {}

  /** Returns the answer of the request whose record is at an offset. */
  static AnsweredRequest answerAt(LogSnapshot log, long position) {
    byte[] value = recordAt(log, position, Cancellation.NONE).map(StoredRecord::value).orElse(null);
    if (value == null) {
      throw WhenceException.of(
          ErrorReason.INTERNAL, "the answer at " + position + " is gone before its time");
    }
    return parse(position, () -> AnsweredRequest.parse(value));
  }

  /**
   * Returns the changes of an offset, newest first, from the log that it was committed to. Changes
   * that compaction removed end the list.
   */
  static List<OffsetChange> history(
      LogSnapshot log, CommittedOffset offset, int limit, Cancellation cancellation) {
    List<OffsetChange> changes = new ArrayList<>();
    long position = offset.changePosition();
    while (position >= 0 && changes.size() < limit) {
      cancellation.check();
      Optional<StoredRecord> record = recordAt(log, position, cancellation);
      byte[] value = record.map(StoredRecord::value).orElse(null);
      if (record.isEmpty() || value == null) {
        break;
      }
      long at = position;
      OffsetValue committed = parse(at, () -> OffsetValue.parse(value));
      Optional<ChangeNote> note = parse(at, () -> ChangeNote.find(record.get().headers()));
      changes.add(change(committed, note));
      position = note.map(ChangeNote::previousPosition).orElse(-1L);
    }
    return changes;
  }

  private static OffsetChange change(OffsetValue committed, Optional<ChangeNote> note) {
    return note.map(
            n ->
                new OffsetChange(
                    committed.commitTimeMs(),
                    n.writer(),
                    n.before(),
                    committed.nextOffset(),
                    n.requestId(),
                    n.cause()))
        .orElseGet(
            () ->
                new OffsetChange(
                    committed.commitTimeMs(),
                    "",
                    -1,
                    committed.nextOffset(),
                    "",
                    ChangeCause.UNKNOWN));
  }

  private static Optional<StoredRecord> recordAt(
      LogSnapshot log, long position, Cancellation cancellation) {
    if (position < log.logStartOffset() || position >= log.highWatermark()) {
      return Optional.empty();
    }
    return log
        .read(position, 1, Long.MAX_VALUE, IsolationLevel.READ_UNCOMMITTED, cancellation)
        .stream()
        .filter(record -> record.stamp().offset() == position)
        .findFirst();
  }

  /** Reads bytes; what is not as it should be is told with its place. */
  static <T> T parse(long position, java.util.function.Supplier<T> reading) {
    try {
      return reading.get();
    } catch (MalformedRecordException e) {
      throw malformed(OffsetsTopic.NAME, position, e);
    }
  }

  static WhenceException malformed(
      String partition, long position, MalformedRecordException problem) {
    return WhenceException.of(
        ErrorReason.UNSUPPORTED_FORMAT,
        partition + ", record at offset " + position + ": " + problem.getMessage(),
        "path",
        partition,
        "position",
        position);
  }

  /** Returns the name of a partition, for messages. */
  static String nameOf(int partition) {
    return new TopicPartition(OffsetsTopic.NAME, partition).toString();
  }
}
