package io.whence.log;

import static io.whence.model.Cancellation.NONE;
import static io.whence.model.IsolationLevel.READ_UNCOMMITTED;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Loads partition directories for tests of other packages, with settings that no source offers.
 * Thread safety: thread-safe.
 */
public final class TestLogs {
  private TestLogs() {}

  /** A log and its open files. */
  public record Loaded(LogSnapshot log) implements AutoCloseable {
    /** Closes the files. */
    @Override
    public void close() {
      try {
        for (SegmentView view : log.views()) {
          view.file().close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Loads a directory as an archive of a broker that stopped cleanly is loaded. */
  public static Loaded loadArchive(Path directory, long logStartOffset) {
    ArchiveRules rules =
        new ArchiveRules(
            true, logStartOffset, null, false, null, LogMemory.usual(), LogEvents.NOOP);
    try {
      ArchivedLog.Loaded loaded = ArchivedLog.load(directory, rules);
      if (!loaded.warnings().isEmpty() || !loaded.log().damages().isEmpty()) {
        throw new AssertionError(loaded.warnings() + " " + loaded.log().damages());
      }
      return new Loaded(loaded.log());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Loads a directory, with an index as dense as a test needs it. */
  public static Loaded load(Path directory, int indexIntervalBytes, long logStartOffset) {
    List<SegmentView> views = scanAll(directory, indexIntervalBytes);
    SegmentIndex last = views.get(views.size() - 1).index();
    return snapshot(views, logStartOffset, last.nextOffset());
  }

  /**
   * Loads a directory as a log of our own is seen while a part of it is not on disk yet.
   *
   * @param highWatermark the end of what readers may see, exclusive
   */
  public static Loaded load(
      Path directory, int indexIntervalBytes, long logStartOffset, long highWatermark) {
    return snapshot(scanAll(directory, indexIntervalBytes), logStartOffset, highWatermark);
  }

  /** Reads the offsets of all records that readers of uncommitted records see. */
  public static List<Long> offsets(LogSnapshot log) {
    return log
        .read(log.logStartOffset(), Integer.MAX_VALUE, Long.MAX_VALUE, READ_UNCOMMITTED, NONE)
        .stream()
        .map(record -> record.stamp().offset())
        .toList();
  }

  private static List<SegmentView> scanAll(Path directory, int indexIntervalBytes) {
    List<SegmentView> views = new ArrayList<>();
    try {
      TreeMap<Long, Path> files = ArchivedSegments.list(directory, path -> 0L);
      for (Map.Entry<Long, Path> file : files.entrySet()) {
        views.add(scan(file.getValue(), file.getKey(), indexIntervalBytes));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return views;
  }

  private static Loaded snapshot(List<SegmentView> views, long logStartOffset, long highWatermark) {
    AbortedTransactions transactions =
        AbortedTransactions.of(
            views.stream().map(SegmentView::index).toList(), Map.of(), List.of());
    HeadCut.apply(views, logStartOffset);
    return new Loaded(
        new LogSnapshot(views, logStartOffset, highWatermark, transactions, List.of())
            .withCommittedTimelines(LogMemory.usual().preload()));
  }

  private static SegmentView scan(Path path, long baseOffset, int indexIntervalBytes)
      throws IOException {
    SegmentFile file = new SegmentFile(path, false);
    SegmentScanner.Result result =
        new SegmentScanner(
                file,
                file.size(),
                new SegmentIndexBuilder(baseOffset, indexIntervalBytes),
                SegmentScanner.OnFault.STOP,
                OptionalLong.empty())
            .scan();
    if (result.tail().isPresent()) {
      throw new AssertionError(result.tail().get().toString());
    }
    file.close(); // Opened again when it is read, so that thousands of segments may be loaded.
    return new SegmentView(file, result.index(), result.timeline());
  }
}
