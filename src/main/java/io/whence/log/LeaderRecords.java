package io.whence.log;

import java.io.IOException;

/**
 * Which records a leader still has of a log that is followed, told by somebody who reads them from
 * there. What any of the methods throws ends what they are asked for. Thread safety: single-writer.
 */
public interface LeaderRecords {
  /**
   * Returns whether the leader has a record. Offsets ascend from call to call.
   *
   * @param offset its offset
   * @param timestampMs its timestamp where it was fetched, in epoch milliseconds
   */
  boolean has(long offset, long timestampMs);

  /**
   * Returns whether all that was told is of the log that is followed, and not of another one in its
   * place. Asked before records go for what was told.
   *
   * @throws IOException if that can't be told
   */
  boolean isOfSameLog() throws IOException;
}
