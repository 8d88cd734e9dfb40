package io.whence.source.kafka.fetch;

import org.apache.kafka.clients.FetchSessionHandler.FetchRequestData;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.FetchRequest;

/** Makes the questions to brokers. Thread safety: thread-safe. */
final class FetchQuestion {
  /** The first version with topic ids, without which a re-created topic would be read on. */
  private static final short MIN_VERSION = 13;

  private static final int NO_REPLICA = -1;
  private static final int MIN_BYTES = 1;

  private FetchQuestion() {}

  /**
   * Makes a question for records up to the high watermark, whatever becomes of transactions.
   *
   * @param waitMs how long the broker may wait for new records, in milliseconds
   */
  static FetchRequest.Builder of(FetchRequestData data, FetchLimits limits, int waitMs) {
    return new FetchRequest.Builder(
            MIN_VERSION,
            ApiKeys.FETCH.latestVersion(),
            NO_REPLICA,
            NO_REPLICA,
            waitMs,
            MIN_BYTES,
            data.toSend())
        .isolationLevel(IsolationLevel.READ_UNCOMMITTED)
        .setMaxBytes(limits.maxBytes())
        .metadata(data.metadata())
        .removed(data.toForget())
        .replaced(data.toReplace());
  }
}
