package io.whence.source.embedded;

import io.whence.log.AppendBatch;
import io.whence.log.LogSnapshot;
import io.whence.log.RecordKeeper;
import io.whence.model.OffsetRange;
import io.whence.source.InternalTopic;
import java.io.IOException;
import java.util.concurrent.CompletionStage;

/**
 * An internal topic of a source of our own.
 *
 * @param topic the topic; clients can't delete it, so its logs stay open
 */
record OwnInternalTopic(EmbeddedTopic topic) implements InternalTopic {
  @Override
  public int partitionCount() {
    return topic.logs().size();
  }

  @Override
  public LogSnapshot snapshot(int partition) {
    return topic.log(partition).snapshot();
  }

  @Override
  public CompletionStage<OffsetRange> append(
      int partition, AppendBatch batch, long expectedBaseOffset) {
    return topic.log(partition).append(batch, expectedBaseOffset);
  }

  @Override
  public long compact(int partition, RecordKeeper keeper) throws IOException {
    return topic.log(partition).compact(keeper);
  }
}
