package io.whence.bench.follow;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.record.RecordBatch;
import io.whence.record.RecordCursor;
import io.whence.source.kafka.fetch.FetchFault;
import io.whence.source.kafka.fetch.FetchPosition;
import io.whence.source.kafka.fetch.FetchedBounds;
import io.whence.source.kafka.fetch.PartitionFeed;
import java.nio.ByteBuffer;

/** Reads what it gets and throws it away. Thread safety: single-writer. */
final class CountingFeed implements PartitionFeed {
  private final TopicPartition partition;
  private final TopicId topicId;
  private final boolean decode;
  private final long end;
  private final Runnable onEnd;
  private final RecordBatch batch = new RecordBatch();
  private final RecordCursor cursor = new RecordCursor(64 << 20);
  private FetchPosition position = new FetchPosition(0, -1);
  private long sum;

  CountingFeed(
      String topic, int partition, TopicId topicId, boolean decode, long end, Runnable onEnd) {
    this.partition = new TopicPartition(topic, partition);
    this.topicId = topicId;
    this.decode = decode;
    this.end = end;
    this.onEnd = onEnd;
  }

  @Override
  public TopicPartition partition() {
    return partition;
  }

  @Override
  public TopicId topicId() {
    return topicId;
  }

  @Override
  public FetchPosition position() {
    return position;
  }

  @Override
  public void fetched(ByteBuffer batches, FetchedBounds bounds) {
    long before = position.nextOffset();
    for (int at = 0; at < batches.limit(); at += (int) batch.sizeInBytes()) {
      batch.wrap(batches, at);
      if (decode) {
        decode();
      }
      position = new FetchPosition(batch.nextOffset(), batch.partitionLeaderEpoch());
    }
    if (before < end && position.nextOffset() >= end) {
      onEnd.run();
    }
  }

  private void decode() {
    if (!batch.isCrcValid()) {
      throw new IllegalStateException("CRC of the batch at " + batch.baseOffset());
    }
    cursor.reset(batch);
    while (cursor.next()) {
      sum += cursor.offset() ^ cursor.timestampMs();
    }
  }

  @Override
  public void unchanged(FetchedBounds bounds) {}

  @Override
  public void diverged(int leaderEpoch, long endOffset) {
    throw new IllegalStateException("diverged at " + endOffset + " after " + sum);
  }

  @Override
  public void outOfRange() {
    throw new IllegalStateException("out of range at " + position);
  }

  @Override
  public void failed(FetchFault fault) {}
}
