package io.whence.source.kafka;

import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.TopicId;
import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.FetchFault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for what leaders answer: up to a moment, and no longer than somebody wants to know. Thread
 * safety: immutable.
 */
final class LeaderWait {
  private static final long LOOK_MS = 10;

  private final long untilNanos;
  private final Cancellation cancellation;

  /**
   * Begins to wait.
   *
   * @param limit for how long, from now
   */
  LeaderWait(Duration limit, Cancellation cancellation) {
    this.untilNanos = System.nanoTime() + limit.toNanos();
    this.cancellation = cancellation;
  }

  /** Returns when to give up, by {@link System#nanoTime}. */
  long untilNanos() {
    return untilNanos;
  }

  Cancellation cancellation() {
    return cancellation;
  }

  /**
   * Requires that the topic of a name still is the one that is followed. To be asked for after all
   * that was asked by name, as no topic ever comes back.
   *
   * @param id the id that the topic of the partition's name has now
   * @throws WhenceException {@code STALE_TOPIC}, or as {@link #await}
   */
  void awaitSameTopic(FollowedPartition partition, CompletableFuture<TopicId> id) {
    TopicId now = await(partition, "the id of its topic", id);
    if (!now.equals(partition.topicId())) {
      String topic = partition.partition().topic();
      throw WhenceException.of(
          ErrorReason.STALE_TOPIC,
          "topic '" + topic + "' was created anew; the new one is not followed yet",
          "topic",
          topic,
          "topic_id",
          now);
    }
  }

  /**
   * Waits for an answer; looks at one that is there even when the time is over.
   *
   * @param what the thing that the partition's leader was asked for
   * @throws WhenceException a failure of the partition, or that nobody waits any more
   */
  <T> T await(FollowedPartition partition, String what, CompletableFuture<T> answer) {
    while (true) {
      cancellation.check();
      boolean isOver = System.nanoTime() - untilNanos > 0;
      try {
        return answer.get(isOver ? 0 : LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (isOver) {
          throw partition.failure(
              ErrorReason.LEADER_UNAVAILABLE, "did not tell " + what + " in time");
        }
      } catch (ExecutionException e) {
        FetchFault fault = LeaderFailures.of(e);
        throw partition.failure(
            fault.reason(), "can't be asked for " + what + ": " + fault.message());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw partition.failure(
            ErrorReason.DRAINING, "was not asked for " + what + ": the server stops");
      }
    }
  }
}
