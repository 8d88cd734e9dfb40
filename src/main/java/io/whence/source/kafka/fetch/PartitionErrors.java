package io.whence.source.kafka.fetch;

import io.whence.model.ErrorReason;
import org.apache.kafka.common.protocol.Errors;

/** What a lane does about each error code of a partition. Thread safety: thread-safe. */
final class PartitionErrors {
  private static final Reaction MOVED =
      new Reaction(ErrorReason.LEADER_UNAVAILABLE, Step.ASK_FOR_LEADER, Pace.QUICK);
  private static final Reaction NOT_YET =
      new Reaction(ErrorReason.LEADER_UNAVAILABLE, Step.RETRY, Pace.QUICK);
  private static final Reaction UNAVAILABLE =
      new Reaction(ErrorReason.LEADER_UNAVAILABLE, Step.ASK_FOR_LEADER, Pace.SLOW);

  /** A broker that is behind says so, too: whether the topic is gone is not for it to say. */
  private static final Reaction UNKNOWN =
      new Reaction(ErrorReason.LEADER_UNAVAILABLE, Step.ASK_FOR_LEADER, Pace.QUICK);

  private static final Reaction DISK =
      new Reaction(ErrorReason.STORAGE_ERROR, Step.ASK_FOR_LEADER, Pace.SLOW);
  private static final Reaction FORBIDDEN =
      new Reaction(ErrorReason.NOT_AUTHORIZED, Step.RETRY, Pace.ACCESS);

  /** Of no caller's offset, but of what is followed, which moves to where the log begins. */
  private static final Reaction OUT_OF_RANGE =
      new Reaction(ErrorReason.NOT_READY, Step.MOVE, Pace.QUICK);

  private static final Reaction DAMAGED =
      new Reaction(ErrorReason.DAMAGED_LOG, Step.RETRY, Pace.SLOWEST);
  private static final Reaction UNREADABLE =
      new Reaction(ErrorReason.UNSUPPORTED_FORMAT, Step.RETRY, Pace.SLOWEST);
  private static final Reaction UNEXPECTED =
      new Reaction(ErrorReason.LEADER_UNAVAILABLE, Step.ASK_FOR_LEADER, Pace.SLOWEST);

  private PartitionErrors() {}

  /** What to do beside waiting. */
  enum Step {
    /** Nothing. */
    RETRY,
    /** Ask the cluster who leads the partition now. */
    ASK_FOR_LEADER,
    /** Let the feed move. */
    MOVE
  }

  /** How soon to try again. */
  enum Pace {
    /** At once the first time, and without telling the feed: normal when a leader changes. */
    QUICK,
    /** After a wait that doubles. */
    SLOW,
    /** After the longest wait. */
    SLOWEST,
    /** After the wait for permissions. */
    ACCESS
  }

  /**
   * What to do about an error.
   *
   * @param reason what the feed is told
   */
  record Reaction(ErrorReason reason, Step step, Pace pace) {

    /** Returns what the feed is told. */
    FetchFault fault(String who, Errors error) {
      return new FetchFault(reason, who + " answered " + error.name());
    }
  }

  /** Returns what to do about an error. */
  static Reaction reactionTo(Errors error) {
    return switch (error) {
      case NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH -> MOVED;
      case UNKNOWN_LEADER_EPOCH -> NOT_YET;
      case OFFSET_NOT_AVAILABLE, LEADER_NOT_AVAILABLE, REPLICA_NOT_AVAILABLE -> UNAVAILABLE;
      case UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID -> UNKNOWN;
      case KAFKA_STORAGE_ERROR -> DISK;
      case TOPIC_AUTHORIZATION_FAILED -> FORBIDDEN;
      case OFFSET_OUT_OF_RANGE -> OUT_OF_RANGE;
      case CORRUPT_MESSAGE -> DAMAGED;
      case UNSUPPORTED_COMPRESSION_TYPE, UNSUPPORTED_FOR_MESSAGE_FORMAT -> UNREADABLE;
      default -> UNEXPECTED;
    };
  }
}
