package io.whence.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A segment that was found on disk, read from where the checkpoint of its index ends.
 *
 * @param segment the segment up to its last whole batch
 * @param damages what can't be read between batches that can
 * @param tail what is wrong behind the last whole batch, if there is something behind it
 * @param warnings what the operator should know
 */
record LoadedSegment(
    LogSegment segment, List<Damage> damages, Optional<Damage> tail, List<String> warnings) {

  /**
   * What was stored of a log.
   *
   * @param recoveryPoint from where on a crash may have harmed its files
   * @param logStartOffset the earliest offset that a client may read, inclusive
   */
  record StoredOffsets(long recoveryPoint, long logStartOffset) {}

  /**
   * Reads a segment. Changes nothing.
   *
   * @param endOffset where the next segment begins; the largest long if there is none
   * @param stored what was stored of the log
   */
  static LoadedSegment load(
      Path path,
      long baseOffset,
      long endOffset,
      StoredOffsets stored,
      LogConfig config,
      LogEnvironment environment)
      throws IOException {
    SegmentFile file = new SegmentFile(path, true, environment.disk(), environment.events());
    long size = Files.size(path);
    if (size > Integer.MAX_VALUE) {
      throw new CorruptFileException(
          path, "its end", "at most " + Integer.MAX_VALUE + " bytes", size + " bytes");
    }
    SegmentCheckpoint checkpoint =
        new SegmentCheckpoint(
            file,
            baseOffset,
            size,
            stored.logStartOffset(),
            config.size(LogSetting.INDEX_INTERVAL_BYTES));
    Optional<LogSegment> sealed =
        endOffset == Long.MAX_VALUE
            ? Optional.empty()
            : checkpoint.sealed(
                endOffset, endOffset > stored.recoveryPoint(), environment.memory());
    LoadedSegment loaded =
        sealed
            .map(segment -> new LoadedSegment(segment, List.of(), Optional.empty(), List.of()))
            .orElseGet(() -> scanned(file, endOffset, checkpoint, environment));
    file.close();
    return loaded;
  }

  private static LoadedSegment scanned(
      SegmentFile file, long endOffset, SegmentCheckpoint checkpoint, LogEnvironment environment) {
    List<String> warnings = new ArrayList<>();
    SegmentCheckpoint.Resumed resumed = checkpoint.resume(warnings);
    SegmentScanner.Result result =
        scan(file, checkpoint, resumed.builder(), SegmentScanner.OnFault.SKIP, endOffset);
    if (resumed.builder().nextOffset() > endOffset) {
      // What was found behind damage is not of this log: a payload may hold batches of another.
      resumed = checkpoint.fresh();
      result = scan(file, checkpoint, resumed.builder(), SegmentScanner.OnFault.STOP, endOffset);
    }
    LogSegment segment =
        new LogSegment(
            checkpoint.directory(),
            file,
            resumed.builder(),
            environment.clock().millis(),
            resumed.checkpoint());
    return new LoadedSegment(segment, result.damages(), result.tail(), warnings);
  }

  private static SegmentScanner.Result scan(
      SegmentFile file,
      SegmentCheckpoint checkpoint,
      SegmentIndexBuilder builder,
      SegmentScanner.OnFault onFault,
      long endOffset) {
    return new SegmentScanner(file, checkpoint.logBytes(), builder, onFault, next(endOffset))
        .scan();
  }

  private static OptionalLong next(long endOffset) {
    return endOffset == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(endOffset);
  }
}
