package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import io.whence.record.BatchFault;
import io.whence.source.kafka.fetch.Followed.Ticket;
import io.whence.source.kafka.fetch.PartitionErrors.Pace;
import io.whence.source.kafka.fetch.PartitionErrors.Reaction;
import io.whence.source.kafka.fetch.PartitionErrors.Step;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.Metadata.LeaderIdAndEpoch;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchResponse;

/**
 * Reads one answer of a broker: moves the positions of its partitions on, and gathers what their
 * feeds get. Thread safety: single-writer.
 */
final class AnswerReader {
  private final String broker;
  private final Map<TopicPartition, FetchedBounds> sessionBounds;
  private final long sentNanos;
  private final long nowMs;
  private final BatchWalk walk = new BatchWalk();
  private final List<Runnable> deliveries = new ArrayList<>();
  private final Map<TopicPartition, LeaderIdAndEpoch> movedLeaders = new HashMap<>();
  private boolean leaderWanted;
  private long bytes;
  private long records;

  /**
   * Makes a reader.
   *
   * @param broker who answers, for people
   * @param sessionBounds the bounds that the broker has told in this session, which it takes to be
   *     known; whatever it tells is added
   * @param sentNanos when the question was sent
   * @param nowMs the time, for delays
   */
  AnswerReader(
      String broker, Map<TopicPartition, FetchedBounds> sessionBounds, long sentNanos, long nowMs) {
    this.broker = broker;
    this.sessionBounds = sessionBounds;
    this.sentNanos = sentNanos;
    this.nowMs = nowMs;
  }

  /** Reads what is said of a partition. */
  void read(Ticket ticket, PartitionData data) {
    Errors error = Errors.forCode(data.errorCode());
    if (error != Errors.NONE) {
      if (ticket.isCurrent()) {
        failed(ticket.followed(), error, data);
      }
      return;
    }
    if (FetchResponse.isDivergingEpoch(data)) {
      if (ticket.isCurrent()) {
        diverged(ticket.followed(), data);
      }
      return;
    }
    FetchedBounds bounds =
        new FetchedBounds(
            data.logStartOffset(),
            data.highWatermark(),
            data.lastStableOffset(),
            ticket.leaderEpoch(),
            sentNanos);
    sessionBounds.put(ticket.followed().partition(), bounds);
    if (ticket.isCurrent()) {
      fetched(ticket, buffer(data), bounds);
    }
  }

  /** Nothing is said of a partition, so that nothing has changed. */
  void unchanged(Ticket ticket) {
    FetchedBounds known = sessionBounds.get(ticket.followed().partition());
    if (known == null || !ticket.isCurrent()) {
      return;
    }
    FetchedBounds confirmed = known.asOf(sentNanos);
    ticket.followed().advance(ticket.position());
    deliver(ticket.followed(), feed -> feed.unchanged(confirmed));
  }

  private static ByteBuffer buffer(PartitionData data) {
    // Ours from here on: no record class of Kafka's leaves this line.
    return ((MemoryRecords) FetchResponse.recordsOrFail(data)).buffer().slice();
  }

  private void fetched(Ticket ticket, ByteBuffer buffer, FetchedBounds bounds) {
    bytes += buffer.remaining();
    walk.walk(buffer, ticket.position());
    records += walk.records();
    if (walk.end() == 0 && buffer.hasRemaining()) {
      unreadable(ticket.followed());
      return;
    }
    ByteBuffer batches = buffer.slice(0, walk.end());
    ticket.followed().advance(walk.next());
    deliver(ticket.followed(), feed -> feed.fetched(batches, bounds));
  }

  private void unreadable(Followed followed) {
    ErrorReason reason =
        walk.isOldFormat() ? ErrorReason.UNSUPPORTED_FORMAT : ErrorReason.DAMAGED_LOG;
    String what = walk.fault().map(BatchFault::toString).orElse("no whole batch");
    FetchFault fault = new FetchFault(reason, "fetched from " + broker + ": " + what);
    // Without a fault it was the last of a full answer, and is the first of the next one.
    followed.fail(fault, walk.fault().isPresent() ? Pace.SLOWEST : Pace.QUICK, nowMs);
  }

  private void diverged(Followed followed, PartitionData data) {
    int epoch = data.divergingEpoch().epoch();
    long end = data.divergingEpoch().endOffset();
    followed.forgetPosition();
    // Ends by itself, but for feeds that don't cut.
    followed.delay(Pace.QUICK, nowMs);
    deliver(followed, feed -> feed.diverged(epoch, end));
    askPosition(followed);
  }

  private void failed(Followed followed, Errors error, PartitionData data) {
    Reaction reaction = PartitionErrors.reactionTo(error);
    followed.fail(reaction.fault(broker, error), reaction.pace(), nowMs);
    if (reaction.step() == Step.MOVE) {
      followed.forgetPosition();
      deliver(followed, PartitionFeed::outOfRange);
      askPosition(followed);
    } else if (reaction.step() == Step.ASK_FOR_LEADER) {
      findLeader(followed, data);
    }
  }

  private void findLeader(Followed followed, PartitionData data) {
    int leader = data.currentLeader().leaderId();
    if (leader < 0) {
      leaderWanted = true;
    } else {
      int epoch = data.currentLeader().leaderEpoch();
      movedLeaders.put(
          followed.partition(), new LeaderIdAndEpoch(Optional.of(leader), Optional.of(epoch)));
    }
  }

  private void askPosition(Followed followed) {
    int generation = followed.expectPosition();
    deliveries.add(followed.feed().position(generation));
  }

  private void deliver(Followed followed, Consumer<PartitionFeed> call) {
    deliveries.add(followed.feed().delivery(followed.generation(), call));
  }

  /** Returns what the worker has to do, in order. */
  List<Runnable> deliveries() {
    return deliveries;
  }

  /** Returns leaders that the broker knows to be others. */
  Map<TopicPartition, LeaderIdAndEpoch> movedLeaders() {
    return movedLeaders;
  }

  /** Returns whether the cluster has to be asked who leads. */
  boolean isLeaderWanted() {
    return leaderWanted;
  }

  /** Returns how many records there were, markers of transactions included. */
  long records() {
    return records;
  }

  /** Returns how many bytes of records there were. */
  long bytes() {
    return bytes;
  }
}
