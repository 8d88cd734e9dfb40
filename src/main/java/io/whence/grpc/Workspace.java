package io.whence.grpc;

import io.whence.resolve.LookAhead;
import io.whence.resolve.PositionAnswer;

/**
 * The memory in which a lookup of timestamps works, for one after the other. Thread safety:
 * single-writer; it goes with its call from thread to thread.
 */
final class Workspace {
  private static final int MAX_KEPT_BYTES = 1 << 20;

  private final TimestampEncoder encoder = new TimestampEncoder();
  private final SnapshotTable snapshots = new SnapshotTable();
  private final AnswerTally tally = new AnswerTally();
  private final PositionAnswer answer = new PositionAnswer();
  private final LookAhead lookAhead = new LookAhead();

  TimestampEncoder encoder() {
    return encoder;
  }

  SnapshotTable snapshots() {
    return snapshots;
  }

  AnswerTally tally() {
    return tally;
  }

  PositionAnswer answer() {
    return answer;
  }

  LookAhead lookAhead() {
    return lookAhead;
  }

  /**
   * Forgets the call.
   *
   * @return whether it is small enough to be kept for another one
   */
  boolean clear() {
    snapshots.clear();
    tally.clear();
    lookAhead.clear();
    return encoder.capacityBytes() <= MAX_KEPT_BYTES;
  }
}
