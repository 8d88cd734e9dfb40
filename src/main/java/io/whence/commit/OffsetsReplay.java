package io.whence.commit;

import io.whence.log.LogSnapshot;
import io.whence.log.TransactionFate;
import io.whence.model.Cancellation;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import java.util.Map;

/**
 * Reads a partition of the offsets topic from front to back. Records of aborted and undecided
 * transactions don't count, as for Kafka's coordinator. Thread safety: single-writer.
 */
final class OffsetsReplay {
  private final LogSnapshot log;
  private final String name;
  private final RequestListener requests;
  private final OffsetsFold fold = new OffsetsFold();

  /** Is told of answered requests. */
  @FunctionalInterface
  interface RequestListener {
    /** A request was answered. */
    void onRequest(OffsetsKey.Request request, long answeredMs, long position);
  }

  private OffsetsReplay(LogSnapshot log, String name, RequestListener requests) {
    this.log = log;
    this.name = name;
    this.requests = requests;
  }

  /**
   * Returns the groups of a partition, by name.
   *
   * @param name of the partition, for messages
   * @throws io.whence.model.WhenceException if a part of the log can't be read or understood
   */
  static Map<String, Group> read(
      LogSnapshot log, String name, RequestListener requests, Cancellation cancellation) {
    OffsetsReplay replay = new OffsetsReplay(log, name, requests);
    log.readAll(log.logStartOffset(), replay::visit, cancellation);
    return replay.fold.groups();
  }

  private boolean visit(RecordBatch batch, RecordCursor record) {
    TransactionFate fate = log.fate(batch);
    byte[] key = record.key();
    if (key == null || fate == TransactionFate.ABORTED || fate == TransactionFate.OPEN) {
      return true;
    }
    try {
      OffsetsKey parsed = OffsetsKey.parse(key);
      if (parsed instanceof OffsetsKey.Request request) {
        requests.onRequest(request, record.timestampMs(), record.offset());
      } else if (!(parsed instanceof OffsetsKey.Other)) {
        fold.add(record.offset(), parsed, record.value(), record.headers());
      }
    } catch (MalformedRecordException e) {
      throw StoredCommits.malformed(name, record.offset(), e);
    }
    return true;
  }
}
