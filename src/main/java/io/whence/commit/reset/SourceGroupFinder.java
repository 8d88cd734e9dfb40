package io.whence.commit.reset;

import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.OffsetRange;
import io.whence.model.Position;
import io.whence.model.RecordStamp;
import io.whence.model.RecordTimes;
import io.whence.model.Resolution;
import io.whence.model.TimestampType;
import io.whence.model.TopicId;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.resolve.LogResolver;
import io.whence.source.LogSource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds where a group goes on in a log that has the records of another source's log, in any order
 * and with other offsets, but with the same timestamps. Invariant: no record that the group has not
 * read there lies below the place that is found here; where that can't be proven, the place needs a
 * yes. So the smallest timestamp of all unread records counts, not that of the next one. Thread
 * safety: immutable.
 */
final class SourceGroupFinder {
  private final LogResolver resolver;
  private final LogSource here;
  private final LogSource there;
  private final Group group;
  private final IsolationLevel isolation;
  private final Map<TopicPartition, WhenceException> behind;
  private final Cancellation cancellation;

  private SourceGroupFinder(
      LogResolver resolver,
      ResetRequest request,
      LogSource here,
      ResetTarget.OfSourceGroup other,
      Map<TopicPartition, WhenceException> behind,
      Cancellation cancellation) {
    this.resolver = resolver;
    this.here = here;
    this.there = other.source();
    this.group = other.group();
    this.isolation = request.isolation();
    this.behind = behind;
    this.cancellation = cancellation;
  }

  /** Makes a finder; waits until the other logs have all that was there when this was called. */
  static SourceGroupFinder open(
      LogResolver resolver,
      ResetRequest request,
      LogSource here,
      ResetTarget.OfSourceGroup other,
      Cancellation cancellation) {
    List<TopicPartition> committed =
        request.partitions().stream()
            .filter(partition -> other.group().offset(partition).isPresent())
            .toList();
    return new SourceGroupFinder(
        resolver,
        request,
        here,
        other,
        other.source().catchUp(committed, cancellation),
        cancellation);
  }

  /**
   * Finds the place.
   *
   * @param log the log here, taken before the other log is
   * @throws WhenceException {@code PARTITION_COUNT_CHANGED} if the topics differ, or why the other
   *     log can't be read
   */
  Aim find(TopicPartition partition, LogSnapshot log) {
    Optional<CommittedOffset> committed = group.offset(partition);
    if (committed.isEmpty()) {
      return Aim.nowhere(name() + " has committed nothing here");
    }
    WhenceException failure = behind.get(partition);
    if (failure != null) {
      throw failure;
    }
    LogSnapshot other;
    try {
      other = there.snapshot(partition);
      requireSamePartitions(partition.topic());
    } catch (WhenceException e) {
      if (e.reason() == ErrorReason.UNKNOWN_TOPIC) {
        return Aim.nowhere("source '" + there.name() + "' has no such topic any more");
      }
      throw e;
    }
    Optional<TopicId> id = there.topic(partition.topic()).topicId();
    long offset = committed.get().nextOffset();
    return committed.get().isStaleFor(id)
        ? Aim.nowhere(
            name() + " has committed nothing in this topic",
            "the offset " + offset + " of " + name() + " is of an earlier topic of this name")
        : place(offset, other, log);
  }

  private String name() {
    return "group '" + group.name() + "' of source '" + there.name() + "'";
  }

  private void requireSamePartitions(String topic) {
    int ours = here.topic(topic).partitionCount();
    int theirs = there.topic(topic).partitionCount();
    if (ours != theirs) {
      throw WhenceException.of(
          ErrorReason.PARTITION_COUNT_CHANGED,
          "topic '"
              + topic
              + "' has "
              + theirs
              + " partitions in source '"
              + there.name()
              + "' and "
              + ours
              + " in '"
              + here.name()
              + "': its records can't be told to be in the same ones",
          "topic",
          topic,
          "expected",
          theirs,
          "partition_count",
          ours);
    }
  }

  private Aim place(long offset, LogSnapshot other, LogSnapshot log) {
    LogBounds bounds = other.bounds(IsolationLevel.READ_UNCOMMITTED);
    RecordTimes unread = unread(offset, other);
    if (!unread.areAllTimed()) {
      return start(
          log,
          (unread.recordCount() - unread.timedCount())
              + " of the records that "
              + name()
              + " has not read have no timestamp");
    }
    String found = unread.recordCount() + " records that " + name() + " has not read";
    Aim aim =
        unread.recordCount() == 0
            ? caughtUp(other, log)
            : from(unread.minTimestampMs(), "the oldest of the " + found, false, log);
    if (offset < bounds.logStartOffset()) {
      return doubtful(
          aim, "its offset " + offset + " lies below the log start there: records are gone");
    }
    return offset > bounds.endOffset()
        ? doubtful(aim, "its offset " + offset + " lies above the end there")
        : aim;
  }

  /**
   * All that a reader has yet to see: also what transactions have not decided, which the isolation
   * level hides for now.
   */
  private RecordTimes unread(long offset, LogSnapshot other) {
    long end = other.endOffset(isolation);
    RecordTimes visible = times(other, offset, end, isolation);
    return visible.with(
        times(
            other,
            Math.max(offset, end),
            other.endOffset(IsolationLevel.READ_UNCOMMITTED),
            IsolationLevel.READ_UNCOMMITTED));
  }

  private RecordTimes times(LogSnapshot log, long from, long to, IsolationLevel level) {
    return from < to
        ? resolver.times(log, new OffsetRange(from, to), level, cancellation)
        : new RecordTimes(0, 0, -1);
  }

  /**
   * Nothing is unread there, but here may be more: from the last record on, which is seen again.
   */
  private Aim caughtUp(LogSnapshot other, LogSnapshot log) {
    RecordStamp last =
        resolver
            .resolve(
                other,
                new Position.AtOrBefore(Long.MAX_VALUE),
                IsolationLevel.READ_UNCOMMITTED,
                cancellation)
            .record();
    return last == null
        ? start(log, name() + " has read all, and no record is left there to tell when that was")
        : from(last.timestampMs(), "the last record that " + name() + " has read", true, log);
  }

  private Aim from(long timestampMs, String what, boolean endIsSafe, LogSnapshot log) {
    Instant time = Instant.ofEpochMilli(timestampMs);
    Resolution found =
        resolver.resolve(log, new Position.AtOrAfter(timestampMs), isolation, cancellation);
    String place = "the first record at or after " + time + ", " + what;
    return switch (found.outcome()) {
      case FOUND -> judged(Aim.hit(found.offset(), place), found);
      case NO_TIMESTAMP -> start(log, "no record of the log has a timestamp");
      case AFTER_END, EMPTY -> {
        String end = "nothing at or after " + time + ", " + what;
        yield endIsSafe
            ? Aim.hit(found.bounds().endOffset(), end + ": the end")
            : Aim.nearest(
                found.bounds().endOffset(),
                end + ", is here yet; would go to the end, " + found.bounds().endOffset());
      }
      default -> throw new IllegalStateException("unexpected outcome " + found.outcome());
    };
  }

  private static Aim judged(Aim aim, Resolution found) {
    RecordStamp record = found.record();
    if (record != null && record.timestampType() == TimestampType.LOG_APPEND_TIME) {
      return doubtful(
          aim,
          "the timestamps here are those of the broker, not of the producer: they may not be those"
              + " of the other source");
    }
    return found.startCut()
        ? aim.warning(
            "the log starts at "
                + found.bounds().logStartOffset()
                + ": older records are gone, and some may be unread")
        : aim;
  }

  private Aim start(LogSnapshot log, String problem) {
    long offset = log.bounds(isolation).logStartOffset();
    return Aim.nearest(offset, problem + "; would go to the log start, " + offset);
  }

  private static Aim doubtful(Aim aim, String problem) {
    return Aim.nearest(
        aim.offset(), problem + "; would go to " + aim.offset() + ": " + aim.reason());
  }
}
