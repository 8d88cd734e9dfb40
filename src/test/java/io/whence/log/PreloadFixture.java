package io.whence.log;

import io.whence.model.IsolationLevel;
import io.whence.model.TopicPartition;
import io.whence.model.WhenceException;
import io.whence.timeline.TimelineHit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.io.TempDir;

/** Logs, and a preload of them. Thread safety: single-writer. */
abstract class PreloadFixture {
  /** No record is after it, whatever its year. */
  static final long NOW_MS = Long.MAX_VALUE;

  @TempDir Path directory;

  final List<String> heard = Collections.synchronizedList(new ArrayList<>());
  final List<OwnedLog> logs = new ArrayList<>();

  /** Writes down what it is told. */
  final class Listener implements PreloadEvents {
    @Override
    public void progressed(String source, int loaded, int wanted, long bytes) {
      heard.add("progressed " + source + " " + loaded + "/" + wanted);
    }

    @Override
    public void loaded(TopicPartition partition, long baseOffset) {
      heard.add("loaded " + baseOffset);
    }

    @Override
    public void dropped(TopicPartition partition, long baseOffset) {
      heard.add("dropped " + baseOffset);
    }

    @Override
    public void failed(TopicPartition partition, long baseOffset, WhenceException failure) {
      heard.add("failed " + baseOffset + " " + failure.reason());
    }

    @Override
    public void rebuilt(Path log) {
      heard.add("rebuilt " + log.getFileName());
    }
  }

  PreloadSource source() {
    return new PreloadSource() {
      @Override
      public String name() {
        return "s";
      }

      @Override
      public List<Log> preloadedLogs() {
        return logs.stream()
            .map(log -> new Log(OwnedLog.PARTITION, log.snapshot(), log.log()::cutLoadedHead))
            .toList();
      }
    };
  }

  /** Makes a log of segments with ascending times, closed as before a start. */
  OwnedLog closedLog(String name, int segments, long firstMs) {
    OwnedLog owned = OwnedLog.open(directory.resolve(name), "segment.bytes", 1024);
    for (int i = 0; owned.baseOffsets().size() < segments; i++) {
      owned.append(firstMs + 10L * i, firstMs + 10L * i + 5, firstMs + 10L * i + 3);
    }
    owned.close();
    owned.recoveryPoint = owned.records.size();
    logs.add(owned);
    return owned;
  }

  Preload open(PreloadOptions options) throws InterruptedException {
    return open(options, NOW_MS);
  }

  Preload open(PreloadOptions options, long nowMs) throws InterruptedException {
    Preload preload = new Preload(options, new Listener());
    for (OwnedLog log : logs) {
      log.memory = new LogMemory(new BlockIndexCache(0), preload);
      log.load();
    }
    preload.add(source());
    ExecutorService loader = Executors.newFixedThreadPool(2);
    try {
      preload.start(loader, 2, nowMs);
    } finally {
      loader.shutdownNow();
    }
    return preload;
  }

  static PreloadOptions all(long bytes) {
    return new PreloadOptions(bytes, PreloadOptions.Mode.ALL, 0);
  }

  static List<Long> loadedBases(OwnedLog log) {
    return log.snapshot().segments().stream()
        .filter(SegmentInfo::preloaded)
        .map(SegmentInfo::baseOffset)
        .toList();
  }

  static long bytesInMemory(List<OwnedLog> logs) {
    return logs.stream()
        .flatMap(log -> log.snapshot().segments().stream())
        .filter(SegmentInfo::preloaded)
        .mapToLong(SegmentInfo::timelineBytes)
        .sum();
  }

  void closeAll() {
    logs.forEach(OwnedLog::close);
  }

  static TimelineSearch.Result search(OwnedLog log, long ms) {
    return log.snapshot()
        .timelines(IsolationLevel.READ_UNCOMMITTED)
        .firstAtOrAfter(ms, new TimelineHit());
  }
}
