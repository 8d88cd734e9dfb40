package io.whence.log;

import io.whence.log.FollowedState.Poison;
import io.whence.model.TopicPartition;
import io.whence.timeline.SegmentTimeline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a followed log, with what of its offsets can't be read. Invariant: the end is
 * where the last segment ends, or the damage behind it. Thread safety: single-writer; the lock of
 * the log guards it.
 */
final class FollowedSegments {
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;

  /** By base offset; at least one, and the last can be appended to. */
  private final List<LogSegment> segments;

  private final List<Poison> poison;
  private long logStartOffset;
  private long endOffset;

  /** All segments but the last, as snapshots see them; empty when they have changed. */
  private Optional<SegmentTable> sealed = Optional.empty();

  /** What snapshots say of the poison; empty when it has changed. */
  private Optional<List<Damage>> damages = Optional.empty();

  /**
   * Takes over segments.
   *
   * @param segments by base offset; at least one, and the last can be appended to
   * @param poison what can't be read, by offset; all of it connected with the segments
   * @param logStartOffset the earliest offset that a client may read, inclusive; not above the end
   */
  FollowedSegments(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      List<LogSegment> segments,
      List<Poison> poison,
      long logStartOffset) {
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
    this.segments = new ArrayList<>(segments);
    this.poison = new ArrayList<>(poison);
    this.logStartOffset = logStartOffset;
    this.endOffset = endOf(active().nextOffset(), poison);
    cutHead();
  }

  /**
   * Returns where a log ends whose segments end at an offset.
   *
   * @param poison by offset
   */
  static long endOf(long nextOffset, List<Poison> poison) {
    long end = nextOffset;
    for (Poison each : poison) {
      if (each.damage().range().startOffset() <= end) {
        end = Math.max(end, each.damage().range().endOffset());
      }
    }
    return end;
  }

  /** Returns the segment that is appended to. */
  LogSegment active() {
    return segments.get(segments.size() - 1);
  }

  /** Returns all segments, by base offset; the list changes with this. */
  List<LogSegment> all() {
    return segments;
  }

  /** Returns what can't be read, by offset; the list changes with this. */
  List<Poison> poison() {
    return poison;
  }

  long logStartOffset() {
    return logStartOffset;
  }

  /** Returns the offset that follows, exclusive end of all that is known. */
  long endOffset() {
    return endOffset;
  }

  /** Returns where the first segment would begin if the log began at an offset. */
  long firstBaseOffset(long startOffset) {
    int first = 0;
    while (first + 1 < segments.size() && segments.get(first + 1).baseOffset() <= startOffset) {
      first++;
    }
    return segments.get(first).baseOffset();
  }

  /**
   * Returns everything that is written, with what is told of it by others.
   *
   * @param head what the leader has before it; null for nothing
   */
  LogSnapshot snapshot(
      AbortedTransactions transactions,
      @Nullable TimelineSearch committedTimelines,
      @Nullable UnfollowedHead head,
      LeaderEpochs epochs) {
    SegmentTable table = sealed.orElseGet(this::sealedTable);
    sealed = Optional.of(table);
    List<Damage> known = damages.orElseGet(() -> poison.stream().map(Poison::damage).toList());
    damages = Optional.of(known);
    return new LogSnapshot(
        table,
        active().view(),
        new LogExtent(head == null ? logStartOffset : head.startOffset(), endOffset, head, epochs),
        transactions,
        known,
        committedTimelines);
  }

  private SegmentTable sealedTable() {
    return new SegmentTable(
        segments.subList(0, segments.size() - 1).stream().map(LogSegment::view).toList());
  }

  /** Appends consecutive batches to the active segment. */
  void append(ByteBuffer bytes, List<BatchStats> stats) throws IOException {
    active().append(bytes, stats);
    endOffset = active().nextOffset();
  }

  /** Adds offsets that can't be read, from the end on. */
  void addPoison(Poison unreadable) {
    poison.add(unreadable);
    damages = Optional.empty();
    endOffset = unreadable.damage().range().endOffset();
  }

  /** Begins a new segment; what came before is sealed. An empty one makes way for it. */
  void roll(long baseOffset) throws IOException {
    LogSegment full = active();
    LogSegment next = LogSegment.create(directory, baseOffset, config, environment);
    segments.add(next);
    sealed = Optional.empty();
    if (full.isEmpty()) {
      segments.remove(full);
      environment.deleter().deleteLater(full.markDeleted());
      return;
    }
    try {
      full.settle();
      full.seal();
      full.releaseBlocks(environment.memory());
    } catch (IOException e) {
      // A full disk, perhaps: nothing that is answered comes from these files.
      environment.events().warned(partition, "could not write indexes: " + e);
    }
    environment.events().rolled(partition, baseOffset);
  }

  /** Returns the segments that are not appended to, from the first one on. */
  List<LogSegment> sealed() {
    return List.copyOf(segments.subList(0, segments.size() - 1));
  }

  /** Returns whether consecutive segments are all still part of the log, and not appended to. */
  boolean contains(List<LogSegment> some) {
    return SegmentRuns.isSealedIn(segments, some);
  }

  /** Puts a segment in the place of consecutive ones that it holds the rest of. */
  void replace(List<LogSegment> old, LogSegment by) {
    SegmentRuns.replace(segments, old, by);
    sealed = Optional.empty();
    cutHead();
  }

  /** Says that a segment that is not appended to has changed what it shows. */
  void changed() {
    sealed = Optional.empty();
  }

  /**
   * Raises the log start offset.
   *
   * @param newLogStartOffset not above the end
   * @return the segments that are no longer part of the log
   */
  List<LogSegment> raiseStart(long newLogStartOffset) {
    logStartOffset = newLogStartOffset;
    List<LogSegment> below = new ArrayList<>();
    for (int i = 0; i + 1 < segments.size(); i++) {
      if (segments.get(i + 1).baseOffset() <= logStartOffset) {
        below.add(segments.get(i));
      }
    }
    segments.removeAll(below);
    poison.removeIf(each -> each.damage().range().endOffset() <= newLogStartOffset);
    sealed = Optional.empty();
    damages = Optional.empty();
    cutHead();
    return below;
  }

  /**
   * Lets the timeline of the first segment begin where the log does, if it is in memory.
   *
   * @return whether something has changed
   */
  boolean cutHead() {
    LogSegment head = segments.get(0);
    if (logStartOffset <= head.baseOffset() || head.view().slot().isUncuttable(logStartOffset)) {
      return false;
    }
    Optional<SegmentTimeline> whole = head.view().timeline();
    Optional<SegmentTimeline> rest = HeadCut.of(head.view(), logStartOffset, Long.MAX_VALUE);
    if (rest.isEmpty() || rest.equals(whole)) {
      return false;
    }
    head.setTimeline(rest.get(), logStartOffset);
    sealed = Optional.empty();
    return true;
  }

  /** Makes less to read for the next start, if it is time; returns whether it was. */
  boolean maybeCheckpoint() {
    boolean isDue = active().isCheckpointDue(environment.checkpointBytes());
    if (isDue) {
      try {
        active().file().force();
        active().writeCheckpoint();
      } catch (IOException e) {
        // Only a copy of what the log says: without it, the next start reads more.
        environment.events().warned(partition, "could not write an index checkpoint: " + e);
      }
    }
    return isDue;
  }

  /** Closes all files for good, also if closing one fails. */
  void retire() throws IOException {
    IOException failure = null;
    for (LogSegment segment : segments) {
      try {
        segment.retire();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
