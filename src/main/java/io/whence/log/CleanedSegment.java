package io.whence.log;

import io.whence.model.Cancellation;
import io.whence.record.BatchFilter;
import io.whence.record.RecordBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a compaction makes of a group of segments. Counts for nothing while its name ends in {@code
 * .cleaned}; from {@link #commit} on it is what there is of them, also after a crash. Thread
 * safety: single-writer.
 */
final class CleanedSegment {
  private static final int WRITE_BYTES = 1 << 20;

  private final Path directory;
  private final SegmentFile file;
  private final SegmentIndexBuilder builder;
  private final BatchInspector inspector = new BatchInspector();
  private final BatchFilter filter = new BatchFilter(BlockReader.MAX_DECOMPRESSED_BYTES);
  private final RecordBatch added = new RecordBatch();
  private final ByteBuffer pending = ByteBuffer.allocate(WRITE_BYTES);
  private long writtenBytes;

  private CleanedSegment(Path directory, SegmentFile file, SegmentIndexBuilder builder) {
    this.directory = directory;
    this.file = file;
    this.builder = builder;
  }

  /** Makes an empty one, over what an earlier try left. */
  static CleanedSegment create(
      Path directory, long baseOffset, LogConfig config, LogEnvironment environment)
      throws IOException {
    Path path = SegmentNames.path(directory, baseOffset, SegmentNames.LOG + SegmentNames.CLEANED);
    Files.deleteIfExists(path);
    Files.createFile(path);
    return new CleanedSegment(
        directory,
        new SegmentFile(path, true, environment.disk(), environment.events()),
        new SegmentIndexBuilder(baseOffset, config.size(LogSetting.INDEX_INTERVAL_BYTES)));
  }

  /**
   * Adds what is kept of a segment.
   *
   * @param isLast whether none follows. The last batch stays then, if need be without records: that
   *     the log goes on right behind it shows that nothing is missing.
   */
  void addKept(SegmentSurvey survey, boolean isLast, Cancellation cancellation) throws IOException {
    SealedBatches batches = new SealedBatches(survey.segment().view(), cancellation);
    int first = 0;
    while (batches.next()) {
      RecordBatch batch = batches.batch();
      boolean stays = SegmentSurvey.staysAsItIs(batch);
      int count = stays ? 0 : batch.recordCount();
      if (stays || (count > 0 && survey.keepsAll(first, count))) {
        add(batch.bytes());
      } else if (!survey.keepsNone(first, count)) {
        int firstOfBatch = first;
        add(filter.filter(batch, i -> !survey.dropped().get(firstOfBatch + i)));
      } else if (isLast && batches.isLast()) {
        add(BatchFilter.emptied(batch));
      }
      first += count;
    }
  }

  private void add(ByteBuffer batch) throws IOException {
    if (batch.remaining() > Integer.MAX_VALUE - builder.sizeBytes()) {
      throw new IOException(file.path() + ": compressed again, the records no longer fit");
    }
    builder.add(inspector.statsOf(added.wrap(batch, 0)));
    if (batch.remaining() > pending.remaining()) {
      writePending();
    }
    if (batch.remaining() > pending.remaining()) {
      write(batch);
    } else {
      pending.put(batch);
    }
  }

  private void writePending() throws IOException {
    write(pending.flip());
    pending.clear();
  }

  private void write(ByteBuffer bytes) throws IOException {
    int count = bytes.remaining();
    file.write(bytes, writtenBytes);
    writtenBytes += count;
  }

  /** Puts all of it on disk. */
  void finish() throws IOException {
    writePending();
    file.force();
  }

  /**
   * Makes it count in place of the segments that it was made from. If this fails it doesn't, unless
   * {@link #isThere} says that it can't be told.
   */
  void commit() throws IOException {
    file.renameTo(path(SegmentNames.LOG + SegmentNames.SWAP));
    AtomicFile.forceDirectory(directory);
  }

  /** Gives it the name of a segment. None of the others may be there any more, nor an index. */
  void finishSwap() throws IOException {
    // What was deleted must not come back beside the new file: the index of an old one, say.
    AtomicFile.forceDirectory(directory);
    file.renameTo(path(SegmentNames.LOG));
  }

  /** Returns it as a segment of the log. */
  LogSegment asSegment(long nowMs) {
    return new LogSegment(directory, file, builder, nowMs, LogSegment.Checkpoint.NONE);
  }

  /** Deletes it. */
  void discard(Exception cause) {
    try {
      discard();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  void discard() throws IOException {
    file.retire();
    Files.deleteIfExists(file.path());
  }

  /** Returns whether it exists under any name. */
  boolean isThere() {
    return Files.exists(file.path());
  }

  private Path path(String suffix) {
    return SegmentNames.path(directory, builder.baseOffset(), suffix);
  }
}
