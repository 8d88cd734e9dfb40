package io.whence.log;

import io.whence.log.FollowedState.Poison;
import io.whence.model.OffsetRange;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a followed log holds while it is open: its segments, and what became of its transactions.
 * Invariant: nothing counts as decided before the leader has said that all is that was never seen.
 * Thread safety: single-writer; the lock of the log guards it.
 */
final class FollowedContents {
  private static final FollowedEnds NOTHING_TOLD = new FollowedEnds(0, 0, 0);

  private final Path directory;
  private final TopicPartition partition;
  private final LogEnvironment environment;
  private final FollowedSegments segments;
  private final TransactionTracker transactions;
  private final FollowedEpochs epochs;
  private final FollowedIntake intake;
  private final FollowedCommitted committed = new FollowedCommitted();
  private final LeaderHead head;

  /** What lies below was never seen: a transaction may have begun there. */
  private final long followedFrom;

  private boolean decided;
  private final List<Damage> unknown;

  /** Whether the file of the state is older than the state, and whether that may mislead. */
  private boolean stateChanged;

  private boolean stateMisleads;

  /** What the leader told before: the last time, and the time before that. */
  private FollowedEnds toldLast = NOTHING_TOLD;

  private FollowedEnds toldBefore = NOTHING_TOLD;
  private @Nullable LogSnapshot last;

  private FollowedContents(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      FollowedLoader.Loaded loaded,
      LeaderHead head)
      throws IOException {
    this.head = head;
    this.directory = directory;
    this.partition = partition;
    this.environment = environment;
    this.segments = loaded.segments();
    this.followedFrom = loaded.state().followedFrom();
    this.decided = loaded.state().decided();
    this.unknown = new ArrayList<>(loaded.state().unknown());
    this.transactions =
        new TransactionTracker(Map.of(), segments.poison().stream().map(Poison::damage).toList());
    for (LogSegment segment : segments.all()) {
      segment.view().index().transactions().forEach(transactions::add);
    }
    transactions.addUnknown(unknown);
    this.epochs = readEpochs();
    this.intake =
        new FollowedIntake(partition, config, segments, transactions, epochs, readLastEpoch());
  }

  /**
   * Opens a log; makes an empty one where nothing is left.
   *
   * @param startOffset where an empty one begins
   * @param kept segments that are in use and on disk as they are
   * @param head what is known of the leader's log before it
   */
  static FollowedContents load(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      long startOffset,
      List<LogSegment> kept,
      LeaderHead head)
      throws IOException {
    FollowedLoader.Loaded loaded =
        FollowedLoader.load(directory, partition, config, environment, startOffset, kept);
    try {
      return new FollowedContents(directory, partition, config, environment, loaded, head);
    } catch (CorruptFileException | WhenceException e) {
      environment.events().warned(partition, "reads the log again, since " + e.getMessage());
      loaded.segments().retire();
      for (LogSegment segment : loaded.segments().all()) {
        LogSegment.deleteIndexes(directory, segment.baseOffset());
      }
      loaded =
          FollowedLoader.load(directory, partition, config, environment, startOffset, List.of());
      return new FollowedContents(directory, partition, config, environment, loaded, head);
    }
  }

  private FollowedEpochs readEpochs() throws IOException {
    try {
      return FollowedEpochs.read(directory, segments.endOffset());
    } catch (CorruptFileException e) {
      environment.events().warned(partition, "knows no leader epochs, since " + e.getMessage());
      return FollowedEpochs.empty(directory);
    }
  }

  private int readLastEpoch() {
    List<LogSegment> all = segments.all();
    List<Poison> poison = segments.poison();
    for (int i = all.size() - 1; i >= 0; i--) {
      LogSegment segment = all.get(i);
      if (!segment.isEmpty()) {
        return segment.nextOffset() == segments.endOffset() || poison.isEmpty()
            ? FollowedCut.lastEpoch(segment.view())
            : poison.get(poison.size() - 1).leaderEpoch();
      }
    }
    return poison.isEmpty() ? FollowPosition.NO_EPOCH : poison.get(poison.size() - 1).leaderEpoch();
  }

  FollowPosition position() {
    return new FollowPosition(segments.endOffset(), intake.lastEpoch());
  }

  long logStartOffset() {
    return segments.logStartOffset();
  }

  /** Returns where the largest leader epoch ends that is not above one. */
  long endOffset(int epoch) {
    return epochs.endOffset(epoch, segments.logStartOffset(), segments.endOffset());
  }

  /** Takes batches, and what the leader says of its bounds. */
  void take(ByteBuffer batches, FollowedEnds ends) throws IOException {
    if (stateMisleads) {
      writeState();
    }
    try {
      if (intake.take(batches, ends.highWatermark())) {
        stateMisleads = true; // Damage would look like a gap.
        writeState();
      }
    } finally {
      note(ends);
    }
  }

  /** Takes what the leader says of its bounds; returns whether that changes anything. */
  boolean note(FollowedEnds ends) {
    boolean changed = false;
    if (!decided && ends.lastStableOffset() >= followedFrom) {
      decided = true;
      stateChanged = true;
      changed = true;
    }
    changed |= decided && endOrphans(ends);
    changed |= head.setStart(ends.logStartOffset());
    toldBefore = toldLast;
    toldLast = ends;
    return changed;
  }

  /**
   * Gives up waiting for markers that should have come. Of three answers one may be of an earlier
   * leader, and one may be torn: the leader reads its last stable offset after its high watermark.
   */
  private boolean endOrphans(FollowedEnds ends) {
    long highWatermark = ends.highWatermark();
    long stableOffset = ends.lastStableOffset();
    for (FollowedEnds told : List.of(toldLast, toldBefore)) {
      highWatermark = Math.max(highWatermark, told.highWatermark());
      stableOffset = Math.min(stableOffset, told.lastStableOffset());
    }
    long endOffset = segments.endOffset();
    if (endOffset < highWatermark) {
      return false;
    }
    List<Damage> found =
        transactions.endOrphans(stableOffset, endOffset, FollowedLoader.nameOf(partition));
    unknown.addAll(found);
    stateChanged |= !found.isEmpty();
    return !found.isEmpty();
  }

  /** Returns the log as it is. */
  LogSnapshot snapshot() {
    UnfollowedHead unfollowed = head.before(segments.logStartOffset());
    AbortedTransactions known =
        decided
            ? transactions.transactions()
            : transactions.transactions(OptionalLong.of(undecidedFrom(unfollowed)));
    LogSnapshot now = segments.snapshot(known, null, unfollowed, epochs.all());
    if (now.hasTransactions()) {
      LogSnapshot before = last;
      if (before != null && !before.hasTransactions()) {
        committed.begin(before);
      }
      now = segments.snapshot(known, committed.advance(now), unfollowed, epochs.all());
    }
    last = now;
    return now;
  }

  /** Nothing of this log counts as decided yet; of its head, what the leader says. */
  private long undecidedFrom(@Nullable UnfollowedHead unfollowed) {
    return unfollowed == null ? 0 : Math.min(toldLast.lastStableOffset(), unfollowed.endOffset());
  }

  /**
   * Raises the log start offset.
   *
   * @param newLogStartOffset above the old one, and not above the end
   */
  void raiseStart(long newLogStartOffset) throws IOException {
    long firstBase = segments.firstBaseOffset(newLogStartOffset);
    if (firstBase == segments.firstBaseOffset(segments.logStartOffset())) {
      stateChanged = true;
    } else {
      state(newLogStartOffset, firstBase).write(directory);
    }
    List<LogSegment> below = segments.raiseStart(newLogStartOffset);
    for (LogSegment segment : below) {
      try {
        CommittedFile.delete(directory, segment.baseOffset());
        environment.deleter().deleteLater(segment.markDeleted());
      } catch (IOException e) {
        // It no longer counts, since the log starts above it; the next start deletes it.
        environment.events().warned(partition, "could not delete a segment: " + e);
      }
    }
  }

  boolean cutHead() {
    return segments.cutHead();
  }

  /** Begins a new segment if anything was appended to the last; returns all but the new one. */
  List<LogSegment> sealAll() throws IOException {
    if (!segments.active().isEmpty()) {
      segments.roll(segments.endOffset());
    }
    return segments.sealed();
  }

  /** Returns whether consecutive segments are all still part of the log, and not appended to. */
  boolean contains(List<LogSegment> some) {
    return segments.contains(some);
  }

  /**
   * Puts a segment in the place of consecutive ones that it holds the rest of.
   *
   * @param seen what readers of committed records see of it, if they don't see all
   */
  void replace(List<LogSegment> old, LogSegment by, Optional<SegmentView> seen) {
    for (LogSegment each : old) {
      try {
        CommittedFile.delete(directory, each.baseOffset());
      } catch (IOException e) {
        // It no longer counts, since it is of another segment.
        environment.events().warned(partition, "could not delete a timeline: " + e);
      }
    }
    segments.replace(old, by);
    committed.replace(old.stream().map(LogSegment::baseOffset).toList(), by.view(), seen);
  }

  /** Says that a segment that is not appended to has its index in files now. */
  void settled(LogSegment segment) {
    segments.changed();
    LogSnapshot log = last;
    if (log != null) {
      committed.settled(log, segment.view());
    }
  }

  /** Makes less to read for the next start, if it is time. */
  void maybeCheckpoint() {
    if (segments.maybeCheckpoint() && stateChanged) {
      try {
        writeState();
      } catch (IOException e) {
        environment.events().warned(partition, "could not write a checkpoint: " + e);
      }
    }
  }

  private void writeState() throws IOException {
    long start = segments.logStartOffset();
    state(start, segments.firstBaseOffset(start)).write(directory);
    stateChanged = false;
    stateMisleads = false;
  }

  /**
   * Returns what the next start has to know.
   *
   * @param firstBase where the first segment begins: what began before, it doesn't see
   */
  private FollowedState state(long logStartOffset, long firstBase) {
    FollowedState state =
        new FollowedState(
            logStartOffset,
            followedFrom,
            segments.endOffset(),
            decided,
            segments.poison(),
            unknown);
    boolean seesAll = transactions.firstOpenOffset().orElse(firstBase) >= firstBase;
    return seesAll ? state : state.undecided(firstBase);
  }

  /**
   * Returns where the log ends if it is cut at an offset, or before: not within damage.
   *
   * @param offset above the log start offset
   */
  private long cutOffset(long offset) {
    for (Poison each : segments.poison()) {
      OffsetRange range = each.damage().range();
      if (range.startOffset() < offset && offset < range.endOffset()) {
        return range.startOffset();
      }
    }
    return offset;
  }

  /**
   * Cuts the end off the files; this is of no use afterwards.
   *
   * @param offset the log ends there, or at the batch or damage that it lies in
   */
  void cutFiles(long offset) throws IOException {
    long end = cutOffset(offset);
    List<Poison> kept =
        segments.poison().stream()
            .filter(each -> each.damage().range().endOffset() <= end)
            .toList();
    List<Damage> stillUnknown =
        unknown.stream().filter(each -> each.range().startOffset() < end).toList();
    long start = segments.logStartOffset();
    long firstBase = segments.firstBaseOffset(start);
    state(start, firstBase).with(kept, stillUnknown).undecided(firstBase).write(directory);
    new FollowedCut(directory, environment).cut(segments.all(), end);
  }

  /** Returns the segments that are on disk as they are here, also after a cut that failed. */
  List<LogSegment> onDisk() {
    return segments.all().stream()
        .filter(segment -> segment.file().path().toString().endsWith(SegmentNames.LOG))
        .toList();
  }

  /** Deletes all files; this is of no use afterwards. */
  void deleteFiles() throws IOException {
    new FollowedCut(directory, environment).cut(segments.all(), 0);
  }

  /** Puts everything on disk. */
  void seal() throws IOException {
    segments.active().seal();
    if (stateChanged || stateMisleads) {
      writeState();
    }
  }

  /** Closes all files for good. */
  void retire() throws IOException {
    segments.retire();
  }
}
