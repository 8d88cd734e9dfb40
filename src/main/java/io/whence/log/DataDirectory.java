package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The directory that holds the logs of this server, with the files that Kafka keeps beside them.
 * Invariant: one process at a time, by the same lock file as Kafka's. Thread safety: thread-safe.
 */
public final class DataDirectory implements PartitionLog.LogStartStore, AutoCloseable {
  private static final String KAFKA_META = "meta.properties";

  private final Object lock = new Object();
  private final Path path;
  private final DirectoryLock processLock;
  private final Reserve reserve;
  private final TopicsFile topics;
  private final CleanShutdownMarker marker;
  private final OffsetCheckpoint recoveryPointFile;
  private final OffsetCheckpoint logStartFile;
  private final OffsetCheckpoint highWatermarkFile;

  @GuardedBy("lock")
  private final Map<TopicPartition, Long> recoveryPoints;

  @GuardedBy("lock")
  private final Map<TopicPartition, Long> logStarts;

  @GuardedBy("lock")
  private boolean closed;

  /** The marker of an orderly stop is written, or another process may have the directory. */
  @GuardedBy("lock")
  private boolean ended;

  private DataDirectory(Path path, DirectoryLock processLock) throws IOException {
    this.path = path;
    this.processLock = processLock;
    this.reserve = new Reserve(path);
    this.topics = new TopicsFile(path);
    this.marker = new CleanShutdownMarker(path);
    this.recoveryPointFile = new OffsetCheckpoint(path.resolve(OffsetCheckpoint.RECOVERY_POINT));
    this.logStartFile = new OffsetCheckpoint(path.resolve(OffsetCheckpoint.LOG_START_OFFSET));
    this.highWatermarkFile = new OffsetCheckpoint(path.resolve(OffsetCheckpoint.HIGH_WATERMARK));
    this.recoveryPoints = new HashMap<>(recoveryPointFile.read());
    this.logStarts = new HashMap<>(logStartFile.read());
    marker.delete();
    reserve.keep();
  }

  /**
   * Opens a directory, and makes it if there is none.
   *
   * @throws IOException if it can't be written, another process has it, or it is a Kafka broker's
   */
  public static DataDirectory open(Path path) throws IOException {
    createDirectory(path);
    if (Files.exists(path.resolve(KAFKA_META))) {
      throw new IOException(
          path
              + ": is the log directory of a Kafka broker, as its "
              + KAFKA_META
              + " says; open it read-only with --archive NAME="
              + path);
    }
    DirectoryLock processLock = DirectoryLock.take(path);
    try {
      return new DataDirectory(path, processLock);
    } catch (IOException | RuntimeException e) {
      processLock.close();
      throw e;
    }
  }

  private static void createDirectory(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      return;
    }
    try {
      Files.createDirectories(path);
      Path parent = path.toAbsolutePath().getParent();
      if (parent != null) {
        AtomicFile.forceDirectory(parent);
      }
    } catch (IOException e) {
      throw new IOException(path + ": can't be made a data directory: " + e, e);
    }
  }

  /** Returns the directory. */
  public Path path() {
    return path;
  }

  /** Returns the file of topics. */
  public TopicsFile topics() {
    return topics;
  }

  /** Replaces the topics by fewer, even on a disk that is full; on disk when it returns. */
  public void writeFewerTopics(Iterable<TopicsFile.Entry> entries) throws IOException {
    reserve.write(() -> topics.write(entries));
  }

  /** Returns the directory of a partition. */
  public Path partitionPath(TopicPartition partition) {
    return path.resolve(partition.toString());
  }

  /** Returns up to where a partition was known to be on disk when last stored, exclusive. */
  public long recoveryPoint(TopicPartition partition) {
    synchronized (lock) {
      return recoveryPoints.getOrDefault(partition, 0L);
    }
  }

  /** Returns the log start offset that was stored for a partition; 0 for none. */
  public long logStartOffset(TopicPartition partition) {
    synchronized (lock) {
      return logStarts.getOrDefault(partition, 0L);
    }
  }

  @Override
  public void store(TopicPartition partition, long logStartOffset) throws IOException {
    synchronized (lock) {
      requireNotEnded();
      Map<TopicPartition, Long> next = new HashMap<>(logStarts);
      next.put(partition, logStartOffset);
      reserve.write(() -> logStartFile.write(next));
      logStarts.put(partition, logStartOffset);
    }
  }

  /**
   * Forgets what was stored of partitions that are deleted, so that new ones of the same names
   * begin at 0.
   */
  public void forget(Collection<TopicPartition> partitions) throws IOException {
    synchronized (lock) {
      requireNotEnded();
      if (logStarts.keySet().removeAll(partitions)) {
        Map<TopicPartition, Long> next = Map.copyOf(logStarts);
        reserve.write(() -> logStartFile.write(next));
      }
      if (recoveryPoints.keySet().removeAll(partitions)) {
        Map<TopicPartition, Long> next = Map.copyOf(recoveryPoints);
        reserve.write(() -> recoveryPointFile.write(next));
      }
    }
  }

  /**
   * Stores up to where partitions are on disk, and forgets all others.
   *
   * @param offsets gives the offsets; runs while nothing can be forgotten
   */
  public void storeRecoveryPoints(Supplier<Map<TopicPartition, Long>> offsets) throws IOException {
    synchronized (lock) {
      requireNotEnded();
      Map<TopicPartition, Long> next = offsets.get();
      recoveryPointFile.write(next);
      recoveryPoints.clear();
      recoveryPoints.putAll(next);
      reserve.keep();
    }
  }

  /** Says that everything was put on disk in order; nothing may be written after. */
  public void markClean(Map<TopicPartition, Long> highWatermarks) throws IOException {
    synchronized (lock) {
      requireNotEnded();
      ended = true;
      recoveryPointFile.write(highWatermarks);
      highWatermarkFile.write(highWatermarks);
      marker.write();
    }
  }

  @GuardedBy("lock")
  private void requireNotEnded() throws IOException {
    if (ended) {
      throw new IOException(path + ": is closed; nothing was written");
    }
  }

  /** Lets another process have the directory. */
  @Override
  public void close() throws IOException {
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      ended = true;
      processLock.close();
    }
  }
}
