package io.whence.commit.reset;

import io.whence.commit.CommittedOffset;
import io.whence.commit.Group;
import io.whence.log.LogSnapshot;
import io.whence.model.Cancellation;
import io.whence.model.IsolationLevel;
import io.whence.model.LogBounds;
import io.whence.model.Position;
import io.whence.model.Resolution;
import io.whence.model.TopicPartition;
import io.whence.resolve.LogResolver;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds where the target of one reset leads, partition by partition. Never turns "nothing there"
 * into a place without saying so. Thread safety: immutable.
 */
final class TargetFinder {
  private final LogResolver resolver;
  private final @Nullable SourceGroupFinder elsewhere;
  private final ResetTarget target;
  private final IsolationLevel isolation;
  private final Cancellation cancellation;

  /**
   * Makes a finder.
   *
   * @param elsewhere tells where a group of another source stands; null where no such target is
   */
  TargetFinder(
      LogResolver resolver,
      ResetRequest request,
      @Nullable SourceGroupFinder elsewhere,
      Cancellation cancellation) {
    this.resolver = resolver;
    this.elsewhere = elsewhere;
    this.target = request.target();
    this.isolation = request.isolation();
    this.cancellation = cancellation;
  }

  Aim find(ResetStart start, LogSnapshot log) {
    LogBounds bounds = log.bounds(isolation);
    if (target instanceof ResetTarget.AtOrAfter time) {
      return atOrAfter(time.targetTimestampMs(), log);
    } else if (target instanceof ResetTarget.Earliest) {
      return Aim.hit(bounds.logStartOffset(), "the log start");
    } else if (target instanceof ResetTarget.Latest) {
      return Aim.hit(bounds.endOffset(), "the end");
    } else if (target instanceof ResetTarget.MaxTimestamp) {
      return maxTimestamp(log);
    } else if (target instanceof ResetTarget.Offset given) {
      return within(bounds, given.offset(), "offset " + given.offset());
    } else if (target instanceof ResetTarget.ShiftBy shift) {
      return shifted(shift.distance(), start, bounds);
    } else if (target instanceof ResetTarget.Current) {
      return current(start);
    } else if (target instanceof ResetTarget.OfGroup other) {
      return ofGroup(other.group(), start, bounds);
    } else if (target instanceof ResetTarget.Offsets given) {
      return ofList(given.offsets(), start.partition(), bounds);
    } else if (elsewhere != null) {
      return elsewhere.find(start.partition(), log);
    }
    throw new IllegalStateException("no kind of target: " + target);
  }

  private Aim atOrAfter(long timestampMs, LogSnapshot log) {
    Instant time = Instant.ofEpochMilli(timestampMs);
    Resolution found =
        resolver.resolve(log, new Position.AtOrAfter(timestampMs), isolation, cancellation);
    return switch (found.outcome()) {
      case FOUND -> {
        Aim aim = Aim.hit(found.offset(), "the first record at or after " + time);
        yield found.startCut() ? aim.warning(startCut(found.bounds(), time)) : aim;
      }
      case AFTER_END -> end(found.bounds(), "nothing at or after " + time + " yet");
      default -> nothingTimed(found);
    };
  }

  private static String startCut(LogBounds bounds, Instant time) {
    return "the log starts at "
        + bounds.logStartOffset()
        + ": older records are gone, and some may have been at or after "
        + time;
  }

  private Aim maxTimestamp(LogSnapshot log) {
    Resolution found = resolver.resolve(log, new Position.MaxTimestamp(), isolation, cancellation);
    return switch (found.outcome()) {
      case FOUND -> Aim.hit(found.offset(), "the record with the largest timestamp");
      default -> nothingTimed(found);
    };
  }

  private static Aim nothingTimed(Resolution found) {
    return switch (found.outcome()) {
      case EMPTY -> end(found.bounds(), "the log holds no records");
      case NO_TIMESTAMP -> end(found.bounds(), "no record of the log has a timestamp");
      default -> throw new IllegalStateException("unexpected outcome " + found.outcome());
    };
  }

  private static Aim shifted(long distance, ResetStart start, LogBounds bounds) {
    if (start.committed().isEmpty()) {
      return Aim.nowhere("nothing is committed that could be shifted");
    }
    long committed = start.committed().get().nextOffset();
    // The committed offset is not negative, so only a shift forward can pass the largest number.
    long sum = committed + distance;
    long shifted = distance > 0 && sum < 0 ? Long.MAX_VALUE : sum;
    String place =
        distance < 0
            ? String.valueOf(distance).substring(1) + " before the committed offset "
            : distance + " after the committed offset ";
    return within(bounds, shifted, place + committed);
  }

  private static Aim current(ResetStart start) {
    return start
        .committed()
        .map(committed -> Aim.hit(committed.nextOffset(), "the committed offset"))
        .orElseGet(() -> Aim.nowhere("nothing is committed"));
  }

  private static Aim ofGroup(Group group, ResetStart start, LogBounds bounds) {
    Optional<CommittedOffset> other = group.offset(start.partition());
    String name = "group '" + group.name() + "'";
    if (other.isEmpty()) {
      return Aim.nowhere(name + " has committed nothing here");
    }
    long offset = other.get().nextOffset();
    if (other.get().isStaleFor(Optional.ofNullable(start.topicId()))) {
      String warning =
          "the offset " + offset + " of " + name + " is of an earlier topic of this name";
      return Aim.nowhere(name + " has committed nothing in this topic", warning);
    }
    return within(bounds, offset, "offset " + offset + ", which " + name + " has committed,");
  }

  private static Aim ofList(
      Map<TopicPartition, Long> offsets, TopicPartition partition, LogBounds bounds) {
    Long offset = offsets.get(partition);
    if (offset == null) {
      throw new IllegalStateException("no offset is given for " + partition);
    }
    return within(bounds, offset, "offset " + offset);
  }

  /** The place itself if it lies inside the log, whose end is a place, too; else the nearest. */
  private static Aim within(LogBounds bounds, long offset, String place) {
    if (offset < bounds.logStartOffset()) {
      return Aim.nearest(
          bounds.logStartOffset(),
          place
              + " lies below the log start; would go to the log start, "
              + bounds.logStartOffset());
    }
    if (offset > bounds.endOffset()) {
      return end(bounds, place + " lies above the end");
    }
    return Aim.hit(offset, place.endsWith(",") ? place.substring(0, place.length() - 1) : place);
  }

  private static Aim end(LogBounds bounds, String problem) {
    return Aim.nearest(
        bounds.endOffset(), problem + "; would go to the end, " + bounds.endOffset());
  }
}
