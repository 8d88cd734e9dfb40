package io.whence.source.kafka.fetch;

import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import java.nio.ByteBuffer;

/**
 * One followed partition, as a lane sees it. All but {@link #partition} and {@link #topicId} is
 * called by one thread, the hand-over thread of the lane, one call after the other; a call that
 * takes long holds back the whole lane, and so the brokers, but never loses anything.
 *
 * <p>A call that throws is told to {@link FetchEvents#feedFailed}, and as a fault to the feed
 * unless it is a {@link io.whence.model.WhenceException}, which the feed knows; after a while the
 * lane asks for the {@link #position} and goes on there.
 */
public interface PartitionFeed {
  /** Returns the partition; always the same. */
  TopicPartition partition();

  /**
   * Returns the id of its topic; always the same. A topic of the same name with another id is never
   * read.
   */
  TopicId topicId();

  /**
   * Returns what to fetch next. Asked at first, and after everything but {@link #fetched} and
   * {@link #unchanged}; in between the lane knows by itself where it is.
   */
  FetchPosition position();

  /**
   * Takes what came next.
   *
   * @param batches whole record batches, format version 2, ascending, from position 0 to the limit;
   *     none if only the bounds have changed. The first may begin below the position. Not checked
   *     but for the sizes and offsets in their headers. Valid during the call only, to be read only
   * @param bounds the bounds that came with them
   */
  void fetched(ByteBuffer batches, FetchedBounds bounds);

  /**
   * Nothing is new: start and high watermark are still the last known ones.
   *
   * @param bounds these, with a fresh time
   */
  void unchanged(FetchedBounds bounds);

  /**
   * The leader's history is another one than this partition's: cut the log to the lower of the
   * offset and the end of the largest own epoch that is not above the given one. The position is
   * asked next; this may come again then.
   *
   * @param leaderEpoch the largest epoch of the leader that is not above the last one fetched
   * @param endOffset where it ends in the leader's log, exclusive
   */
  void diverged(int leaderEpoch, long endOffset);

  /**
   * The position is below the start or beyond the end of the leader's log. To ask for the bounds of
   * that log and move is the feed's; when it moves later than within this call, {@link
   * FetchLane#reposition} tells the lane.
   */
  void outOfRange();

  /**
   * Nothing can be fetched at the moment. Said once for each reason; over with the next {@link
   * #fetched} or {@link #unchanged}.
   */
  void failed(FetchFault fault);
}
