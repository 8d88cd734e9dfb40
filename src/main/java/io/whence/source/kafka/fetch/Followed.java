package io.whence.source.kafka.fetch;

import io.whence.model.WhenceException;
import io.whence.source.kafka.fetch.PartitionErrors.Pace;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.requests.FetchRequest.PartitionData;
import org.jspecify.annotations.Nullable;

/**
 * What a lane knows of one followed partition. Invariant: an answer counts only if it is to the
 * position that is current when it comes; each move of the position other than by an answer begins
 * a new generation, and nothing of an older one gets to the feed behind the move. Thread safety:
 * single-writer, the I/O thread.
 */
final class Followed {
  /** So often a leader may be wrong, or away for a moment, before anybody is told. */
  private static final int QUIET_FAILURES = 3;

  private final FeedHandle feed;
  private final TopicPartition partition;
  private final Uuid topicId;
  private final LaneParts parts;

  private int generation;
  private @Nullable FetchPosition position;
  private @Nullable BrokerFetches broker;
  private Optional<Integer> epoch = Optional.empty();
  private boolean positionAsked;
  private long notBeforeMs;
  private int failures;
  private @Nullable FetchFault fault;

  /** The question for this partition that was sent to a broker. */
  record Ticket(Followed followed, int generation, FetchPosition position, int leaderEpoch) {

    /** Returns whether an answer still counts. */
    boolean isCurrent() {
      return !followed.feed.isRemoved()
          && generation == followed.generation
          && position.equals(followed.position);
    }
  }

  Followed(FeedHandle feed, LaneParts parts) {
    this.feed = feed;
    this.parts = parts;
    var uuid = feed.topicId().uuid();
    partition = new TopicPartition(feed.partition().topic(), feed.partition().partition());
    topicId = new Uuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  FeedHandle feed() {
    return feed;
  }

  TopicPartition partition() {
    return partition;
  }

  int generation() {
    return generation;
  }

  Uuid topicId() {
    return topicId;
  }

  /** Moves to a leader. */
  void moveTo(BrokerFetches leader, Optional<Integer> leaderEpoch, long nowMs) {
    if (leader.equals(broker) && epoch.equals(leaderEpoch)) {
      return;
    }
    leave();
    leader.add(this);
    broker = leader;
    epoch = leaderEpoch;
    // What a former leader has refused says nothing of this one.
    notBeforeMs = Math.min(notBeforeMs, nowMs);
  }

  /** Leaves its leader. */
  void leave() {
    if (broker != null) {
      broker.remove(this);
      broker = null;
    }
  }

  /** Asks the feed where it is. */
  void askPosition() {
    feed.askPosition(expectPosition());
  }

  /** Expects that the feed is asked; returns for which generation. */
  int expectPosition() {
    positionAsked = true;
    return generation;
  }

  /** Takes the answer of the feed. */
  void positioned(int asked, FetchPosition answer) {
    if (asked == generation) {
      positionAsked = false;
      position = answer;
    }
  }

  /** Forgets the position, so that the feed is asked for it. Answers under way don't count. */
  void forgetPosition() {
    generation++;
    position = null;
    positionAsked = false;
  }

  /**
   * The feed has thrown when it was given something of a generation.
   *
   * @param inRow for which time in a row
   * @param failure what it has thrown; nothing is won by haste if that doesn't pass by itself
   */
  void feedFailed(int failed, int inRow, RuntimeException failure, long nowMs) {
    if (failed == generation) {
      forgetPosition();
      boolean lasts = failure instanceof WhenceException known && !known.reason().isRetriable();
      FetchBackoff backoff = parts.limits().backoff();
      long millis =
          lasts ? backoff.longest().toMillis() : backoff.millis(inRow, partition.hashCode());
      notBeforeMs = nowMs + millis;
    }
  }

  /** Returns in how many ms it may be fetched; 0 for now. Asks for the position if that is due. */
  long fetchableIn(long nowMs) {
    long wait = Math.max(0, notBeforeMs - nowMs);
    if (position != null) {
      return wait;
    }
    if (wait == 0 && !positionAsked) {
      askPosition();
    }
    return positionAsked ? Long.MAX_VALUE : wait;
  }

  /** Makes a ticket for a question that is sent now. */
  Ticket ticket() {
    if (position == null) {
      throw new IllegalStateException(partition + " has no position");
    }
    return new Ticket(this, generation, position, epoch.orElse(-1));
  }

  /** Returns the question of a ticket. */
  PartitionData question(Ticket ticket, int maxBytes) {
    int last = ticket.position().lastEpoch();
    return new PartitionData(
        topicId,
        ticket.position().nextOffset(),
        -1, // Only replicas have a start to tell of.
        maxBytes,
        epoch,
        last < 0 ? Optional.empty() : Optional.of(last));
  }

  /** All is well, and fetching goes on from there. */
  void advance(FetchPosition next) {
    position = next;
    failures = 0;
    notBeforeMs = 0;
    fault = null;
  }

  /** Delays the next fetch after a failure, which is told unless it is the first of a quick one. */
  void fail(FetchFault failure, Pace pace, long nowMs) {
    delay(pace, nowMs);
    if (pace != Pace.QUICK || failures > QUIET_FAILURES) {
      report(failure);
    }
  }

  /** Delays the next fetch, or the next question for the position. */
  void delay(Pace pace, long nowMs) {
    failures++;
    int salt = partition.hashCode();
    FetchBackoff backoff = parts.limits().backoff();
    long millis =
        switch (pace) {
          case QUICK -> backoff.millis(failures - 1, salt);
          case SLOW -> backoff.millis(failures, salt);
          case SLOWEST -> backoff.longest().toMillis();
          case ACCESS -> backoff.access().toMillis();
        };
    notBeforeMs = nowMs + millis;
  }

  /** Tells the feed why nothing comes, unless it knows. */
  void report(FetchFault failure) {
    if (!failure.equals(fault)) {
      fault = failure;
      parts.events().partitionFailed(parts.name(), feed.partition(), failure);
      feed.failed(failure);
    }
  }
}
