package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.ErrorReason;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The log of one partition that follows a log elsewhere: of each record it keeps where and when it
 * is and who sees it, and no more. Never the only copy, so it waits for no disk: what was written
 * is published at once, and what a crash takes is fetched again. Readers take {@link #snapshot} and
 * never wait. Thread safety: thread-safe; one at a time changes it.
 *
 * <p>Invariants: a snapshot never changes, whatever is cut off later; its high watermark is the
 * position, below which all that the leader had is in it, or a {@link Damage}; its last stable
 * offset goes back only where the log is cut or begins anew.
 */
public final class FollowedLog {
  private final Object lock = new Object();
  private final Path directory;
  private final TopicPartition partition;
  private final LogConfig config;
  private final LogEnvironment environment;
  private final LogWatchers watchers = new LogWatchers();

  /** Held while files are cut, or replaced by others; taken before the lock, never after. */
  private final Object rewriting = new Object();

  private final FollowedCompactor compactor;

  @GuardedBy("lock")
  private final LeaderHead head = new LeaderHead();

  @GuardedBy("lock")
  private FollowedContents contents;

  /** Where it begins if nothing is on disk. */
  @GuardedBy("lock")
  private long startOffset;

  /** Files were changed, but not all of them: what they hold has to be read again. */
  @GuardedBy("lock")
  private boolean broken;

  @GuardedBy("lock")
  private @Nullable ErrorReason stopped;

  private volatile LogSnapshot snapshot;

  @SuppressWarnings("GuardedBy") // The compactor holds the lock.
  private FollowedLog(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      long startOffset)
      throws IOException {
    this.directory = directory;
    this.partition = partition;
    this.config = config;
    this.environment = environment;
    this.startOffset = startOffset;
    this.contents =
        FollowedContents.load(
            directory, partition, config, environment, startOffset, List.of(), head);
    this.snapshot = contents.snapshot();
    this.compactor =
        new FollowedCompactor(
            rewriting,
            lock,
            new GroupSwap(directory, partition, config, environment),
            config,
            environment.clock(),
            this::makeReady,
            this::publish);
  }

  /**
   * Opens what is on disk, or an empty log. Damage anywhere cuts the log before it.
   *
   * @param directory the directory of the partition; made if there is none
   * @param config of it count what is about the size of segments and their indexes
   * @throws IOException if the directory can't be read or written
   */
  public static FollowedLog open(
      Path directory,
      TopicPartition partition,
      LogConfig config,
      LogEnvironment environment,
      FollowedLogOptions options)
      throws IOException {
    Files.createDirectories(directory);
    FollowedLoader.deleteLeftovers(directory);
    return new FollowedLog(directory, partition, config, environment, options.startOffset());
  }

  /** Returns the partition. */
  public TopicPartition partition() {
    return partition;
  }

  /** Returns the directory. */
  public Path directory() {
    return directory;
  }

  /** Returns the log as it is at this moment; waits for nothing. */
  public LogSnapshot snapshot() {
    return snapshot;
  }

  /** Returns what to fetch next. */
  public FollowPosition position() {
    synchronized (lock) {
      return contents.position();
    }
  }

  /** Returns the first offset that is followed, or will be; waits for nothing. */
  public long firstOffset() {
    return snapshot.firstOffset();
  }

  /**
   * Takes what was found out of records that the leader has and this log has not: none below {@code
   * endOffset} is at or after {@code belowMs}. Holds until the log is begun anew.
   */
  public void proveHead(long endOffset, long belowMs) {
    synchronized (lock) {
      if (stopped == null && !broken && head.prove(endOffset, belowMs)) {
        publish();
      }
    }
    watchers.tellAll(); // Who waits for that time may have an answer now.
  }

  /**
   * Returns where the largest leader epoch ends that the log has and that is not above one: where a
   * log that diverged in that epoch has to be cut, unless the leader ends it before.
   *
   * @return the offset, exclusive; the first one if there is no such epoch
   */
  public long endOffset(int leaderEpoch) {
    synchronized (lock) {
      return contents.endOffset(leaderEpoch);
    }
  }

  /**
   * Drops everything and goes on empty. Readers of committed records see nothing before the leader
   * has said that all is decided that began below.
   *
   * @param offset where it goes on, inclusive
   */
  public void restartAt(long offset) throws IOException {
    requireNotNegative(offset);
    compactor.interrupt();
    synchronized (rewriting) {
      synchronized (lock) {
        makeReady();
        restart(offset);
      }
    }
  }

  private static void requireNotNegative(long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " is negative");
    }
  }

  @GuardedBy("lock")
  private void restart(long offset) throws IOException {
    broken = true;
    startOffset = offset;
    head.forgetProof();
    contents.deleteFiles();
    compactor.filesDeleted();
    FollowedState.startingAt(offset).write(directory);
    reload();
  }

  /**
   * Appends whole batches of version 2, ascending, and publishes them. A part of a batch at the end
   * is left out; so are batches and records below the position. Gaps are gaps. A batch that can't
   * be read becomes damage, and the log goes on behind it.
   *
   * @param batches from position to limit; neither is changed
   * @param ends what the leader said together with them
   * @throws IOException if not all could be written; what was before that is in the log
   * @throws WhenceException {@code UNSUPPORTED_FORMAT} or {@code DAMAGED_LOG} at bytes behind which
   *     no next batch can be told, likewise; {@code DRAINING} or {@code STALE_TOPIC} when closed
   */
  public void append(ByteBuffer batches, FollowedEnds ends) throws IOException {
    try {
      synchronized (lock) {
        makeReady();
        try {
          contents.take(batches, ends);
        } finally {
          publish();
        }
        contents.maybeCheckpoint();
      }
    } finally {
      watchers.tell(snapshot);
    }
  }

  /** Takes what the leader said when there was nothing new. */
  public void confirm(FollowedEnds ends) {
    synchronized (lock) {
      requireOpen();
      if (contents.note(ends)) {
        publish();
      }
    }
    watchers.tell(snapshot);
  }

  /**
   * Cuts off what a new leader doesn't have: all batches with an offset from there on. The position
   * may be lower afterwards than what was asked for, since batches are cut whole.
   *
   * @param offset the end of what is left, exclusive; from the end on, nothing happens; up to the
   *     first offset, the log goes on empty there
   */
  public void truncateTo(long offset) throws IOException {
    requireNotNegative(offset);
    compactor.interrupt();
    synchronized (rewriting) {
      synchronized (lock) {
        makeReady();
        if (offset <= contents.logStartOffset()) {
          restart(offset);
        } else if (offset < contents.position().nextOffset()) {
          broken = true;
          contents.cutFiles(offset);
          reload();
        }
      }
    }
  }

  /**
   * Raises the log start offset; a lower one changes nothing. Above the position, the log goes on
   * empty there.
   *
   * @param logStartOffset the earliest offset that the leader has, inclusive
   */
  public void raiseStart(long logStartOffset) throws IOException {
    synchronized (lock) {
      makeReady();
      if (logStartOffset <= contents.logStartOffset()) {
        return;
      }
      head.setStart(logStartOffset);
      if (logStartOffset <= contents.position().nextOffset()) {
        contents.raiseStart(logStartOffset);
        publish();
        environment.events().trimmed(partition, logStartOffset, "leader");
        return;
      }
    }
    restartAt(logStartOffset); // Nobody appends meanwhile: one at a time changes the log.
  }

  /**
   * Lets the timeline begin where the log does of the segment that the log begins in, if it is in
   * memory. To be called when a timeline was loaded.
   */
  public void cutLoadedHead() {
    synchronized (lock) {
      if (stopped == null && !broken && contents.cutHead()) {
        publish();
      }
    }
  }

  /**
   * Removes the records that the leader no longer has of those that are here now; markers stay. The
   * log goes on meanwhile; older snapshots keep what they have.
   *
   * @param leader is asked about records, by offset; one pass at a time
   * @return how many were removed; empty if not all were asked about, since the log was cut, began
   *     anew or has another one in its place
   * @throws IOException if files can't be written, or the leader can't tell whether it has the same
   *     log; the log is as good as before
   * @throws WhenceException as for {@link #append} when closed; others if it can't be read
   */
  public OptionalLong keepOnly(LeaderRecords leader) throws IOException {
    return compactor.keepOnly(leader);
  }

  /**
   * Asks to be told of new records: each time that some are published of which one may be at or
   * after a time, and when the log is abandoned. Who asks looks at the {@link #snapshot} after
   * this, not before, and misses nothing.
   *
   * @param targetMs the time, in epoch milliseconds
   * @param onRecords is run by the thread that appends, outside of the lock; must return at once
   */
  public LogWatch watch(long targetMs, Runnable onRecords) {
    return watchers.add(targetMs, onRecords);
  }

  /** Tells all who watch: whoever asks about this log answers again, or never will. */
  public void tellWatchers() {
    watchers.tellAll();
  }

  /** Returns how many watches of the log have not been closed. */
  public int watchCount() {
    return watchers.count();
  }

  /**
   * Puts everything on disk and takes no more appends. Does nothing the second time.
   *
   * @throws IOException if not all is known to be on disk; the next start fetches it again
   */
  public void close() throws IOException {
    compactor.interrupt();
    synchronized (rewriting) {
      synchronized (lock) {
        if (stopped != null) {
          return;
        }
        stopped = ErrorReason.DRAINING;
        try {
          if (!broken) {
            contents.seal();
          }
        } finally {
          contents.retire();
        }
      }
    }
  }

  /** Takes no more appends and lets go of the files, which are about to be deleted. */
  public void abandon() throws IOException {
    compactor.interrupt();
    try {
      synchronized (rewriting) {
        synchronized (lock) {
          stopped = ErrorReason.STALE_TOPIC;
          contents.retire();
        }
      }
    } finally {
      watchers.tellAll();
    }
  }

  @GuardedBy("lock")
  private FollowedContents makeReady() throws IOException {
    requireOpen();
    if (broken) {
      reload();
    }
    return contents;
  }

  @GuardedBy("lock")
  private void requireOpen() {
    if (stopped != null) {
      throw StoppedLog.notFollowed(partition, stopped);
    }
  }

  @GuardedBy("lock")
  private void reload() throws IOException {
    contents =
        FollowedContents.load(
            directory, partition, config, environment, startOffset, contents.onDisk(), head);
    broken = false;
    publish();
    watchers.forget(snapshot.highWatermark());
  }

  @GuardedBy("lock")
  private LogSnapshot publish() {
    LogSnapshot before = snapshot;
    LogSnapshot now = contents.snapshot();
    snapshot = now;
    if (before.lastStableOffset() < Math.min(before.highWatermark(), now.lastStableOffset())) {
      // What was published before is only now seen by all.
      watchers.forget(before.lastStableOffset());
    }
    return now;
  }
}
