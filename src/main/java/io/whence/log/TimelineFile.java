package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.TimelineHit;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * What a start reads of a segment: {@code <base offset>.timeline}, its summary and its timeline,
 * each with a checksum of its own so that the summary can be read alone. It is only ever a copy of
 * what the .log says, so one that is missing, stale, of another version or damaged is the same as
 * none: the log is read again (I6). Thread safety: thread-safe.
 *
 * <pre>
 * int32  magic "WHTL"            int32  version 1
 * int32  size of the summary in bytes, from the magic to its checksum
 * int64  fingerprint of the .log file              int32  index.interval.bytes
 * int32  size of the timeline in bytes             int32  CRC-32C of the timeline
 * int64  offset from which on the timeline has all records
 * int64  how many bytes of memory the timeline takes
 * int32  CRC-32C of the .blockindex file           int32  block count
 * int32  position of the last block; base offset and last offset of its first batch, relative
 * figures and events, see {@link IndexBytes}
 * int32  CRC-32C of all bytes before
 * timeline, see {@link SegmentTimeline#writeTo}
 * </pre>
 */
final class TimelineFile {
  static final String SUFFIX = ".timeline";

  private static final int MAGIC = 0x5748544c;
  private static final int VERSION = 1;
  private static final int FIXED_BYTES =
      11 * Integer.BYTES + 3 * Long.BYTES + IndexBytes.FIGURES_BYTES;

  /** What one read asks for: most files of small segments, the summary of nearly all. */
  private static final int FIRST_READ_BYTES = 16 << 10;

  private final Path path;
  private final BlockIndexFile.Key key;

  /** Names a file; touches none. */
  TimelineFile(Path path, BlockIndexFile.Key key) {
    this.path = path;
    this.key = key;
  }

  /** Names the file of a segment that this server owns. */
  static TimelineFile ofOwn(Path directory, long baseOffset, int indexIntervalBytes) {
    Path path = SegmentNames.path(directory, baseOffset, SUFFIX);
    return new TimelineFile(path, new BlockIndexFile.Key(baseOffset, indexIntervalBytes));
  }

  Path path() {
    return path;
  }

  /**
   * All of a segment but blocks and records.
   *
   * @param index what is known of it; its blocks are left out
   * @param blocks its blocks
   * @param timelineBytes how large the timeline is in the file
   * @param timelineCrc the checksum of the timeline
   * @param timelineStart from where on the timeline has all records; the base offset unless the log
   *     began behind it
   * @param memoryBytes how much memory the timeline takes
   */
  record Summary(
      SegmentIndex index,
      BlocksSummary blocks,
      int timelineBytes,
      int timelineCrc,
      long timelineStart,
      long memoryBytes) {}

  /**
   * What a file says.
   *
   * @param summary the summary
   * @param timeline the timeline; empty if it was not asked for, or is damaged
   */
  record Contents(Summary summary, Optional<SegmentTimeline> timeline) {}

  /** Whether to read the timeline too. */
  @FunctionalInterface
  interface Choice {
    /** Returns whether the timeline of a segment is wanted. */
    boolean isWanted(Summary summary);
  }

  /**
   * Writes a segment; on disk when this returns.
   *
   * @param blocks the summary of its blocks
   * @param timelineStart from where on the timeline has all records
   */
  void write(SegmentIndex index, BlocksSummary blocks, SegmentTimeline timeline, long timelineStart)
      throws IOException {
    new AtomicFile(path).write(encode(index, blocks, timeline, timelineStart));
  }

  private byte[] encode(
      SegmentIndex index, BlocksSummary blocks, SegmentTimeline timeline, long timelineStart) {
    int summaryBytes = FIXED_BYTES + IndexBytes.eventsBytes(index) + Integer.BYTES;
    int timelineBytes = Math.toIntExact(timeline.writtenBytes());
    ByteBuffer out = ByteBuffer.allocate(Math.addExact(summaryBytes, timelineBytes));
    timeline.writeTo(out.position(summaryBytes).slice());
    out.position(0);
    out.putInt(MAGIC).putInt(VERSION).putInt(summaryBytes);
    out.putLong(key.fingerprint()).putInt(key.indexIntervalBytes());
    out.putInt(timelineBytes);
    out.putInt(IndexBytes.crcOf(out.array(), summaryBytes, timelineBytes));
    out.putLong(timelineStart).putLong(timeline.sizeInBytes());
    blocks.put(out);
    IndexBytes.putFigures(out, index);
    IndexBytes.putEvents(out, index);
    out.putInt(IndexBytes.crcOf(out.array(), 0, out.position()));
    return out.array();
  }

  /**
   * Reads the file, if it is there, its summary is whole, of this version and of this .log file.
   */
  Optional<Contents> read(Choice choice) {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer in = read(file, FIRST_READ_BYTES);
      if (in.remaining() < FIXED_BYTES) {
        return Optional.empty();
      }
      int summaryBytes = in.getInt(2 * Integer.BYTES);
      if (summaryBytes > FIRST_READ_BYTES && summaryBytes <= file.size()) {
        in = read(file, summaryBytes);
      }
      Optional<Summary> summary = summary(in, summaryBytes);
      return summary.isEmpty()
          ? Optional.empty()
          : Optional.of(new Contents(summary.get(), timeline(file, in, summary.get(), choice)));
    } catch (IOException e) {
      return Optional.empty(); // Not there, or not to be read: the log says the same.
    }
  }

  /** Reads up to a number of bytes from the beginning. */
  private static ByteBuffer read(FileChannel file, int limit) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(limit);
    int count = 0;
    while (count >= 0 && bytes.hasRemaining()) {
      count = file.read(bytes, bytes.position());
    }
    return bytes.flip();
  }

  private Optional<Summary> summary(ByteBuffer in, int summaryBytes) {
    int end = summaryBytes - Integer.BYTES;
    if (end < FIXED_BYTES
        || summaryBytes > in.limit()
        || in.getInt(end) != IndexBytes.crcOf(in.slice(0, end))) {
      return Optional.empty();
    }
    ByteBuffer fields = in.duplicate().limit(end);
    if (fields.getInt() != MAGIC || fields.getInt() != VERSION) {
      return Optional.empty();
    }
    fields.getInt();
    if (fields.getLong() != key.fingerprint() || fields.getInt() != key.indexIntervalBytes()) {
      return Optional.empty();
    }
    try {
      in.position(summaryBytes);
      return Optional.of(summary(fields));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      // A right checksum over a wrong layout: written by something else. As good as no file.
      return Optional.empty();
    }
  }

  private static Summary summary(ByteBuffer fields) {
    int timelineBytes = fields.getInt();
    int timelineCrc = fields.getInt();
    long timelineStart = fields.getLong();
    long memoryBytes = fields.getLong();
    BlocksSummary blocks = BlocksSummary.get(fields);
    SegmentIndex figures = IndexBytes.getFigures(fields);
    SegmentIndex index = figures.withTransactions(IndexBytes.getEvents(fields));
    return new Summary(index, blocks, timelineBytes, timelineCrc, timelineStart, memoryBytes);
  }

  /**
   * Reads the timeline, if it is wanted.
   *
   * @param in what was read of the file already, at the end of the summary
   */
  private static Optional<SegmentTimeline> timeline(
      FileChannel file, ByteBuffer in, Summary summary, Choice choice) throws IOException {
    int bytes = summary.timelineBytes();
    int start = in.position();
    if (bytes < 0 || !choice.isWanted(summary)) {
      return Optional.empty();
    }
    if (in.remaining() >= bytes) {
      return decode(in.slice(start, bytes), summary);
    }
    if (file.size() < (long) start + bytes) {
      return Optional.empty();
    }
    ByteBuffer rest = ByteBuffer.allocate(bytes);
    rest.put(in);
    int count = 0;
    while (count >= 0 && rest.hasRemaining()) {
      count = file.read(rest, (long) start + rest.position());
    }
    return rest.hasRemaining() ? Optional.empty() : decode(rest.flip(), summary);
  }

  /** Tells whether a timeline can be that of the records that the figures are of. */
  private static boolean isOfRecords(SegmentTimeline timeline, Summary summary) {
    SegmentIndex index = summary.index();
    TimestampHealth figures = index.timestamps();
    TimelineHit first = new TimelineHit();
    if (timeline.first(first)
        && (first.offset() < index.baseOffset() || first.offset() >= index.nextOffset())) {
      return false;
    }
    if (summary.timelineStart() > index.baseOffset()) {
      return timeline.maxMs() <= figures.maxTimestampMs().orElse(-1);
    }
    return timeline.isEmpty() == (figures.recordCount() == 0)
        && timeline.maxMs() == figures.maxTimestampMs().orElse(-1);
  }

  private static Optional<SegmentTimeline> decode(ByteBuffer bytes, Summary summary) {
    if (IndexBytes.crcOf(bytes) != summary.timelineCrc()) {
      return Optional.empty();
    }
    try {
      return Optional.of(SegmentTimeline.readFrom(bytes))
          .filter(timeline -> isOfRecords(timeline, summary));
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      return Optional.empty(); // As above.
    }
  }
}
