package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.whence.model.TopicPartition;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The directory that holds the logs of this server, with the files that Kafka keeps beside them.
 * Invariant: one process at a time, by the same lock file as Kafka's. Thread safety: thread-safe.
 */
public final class DataDirectory implements PartitionLog.LogStartStore, AutoCloseable {
  private static final String LOCK = ".lock";
  private static final String KAFKA_META = "meta.properties";

  private final Object lock = new Object();
  private final Path path;
  private final FileChannel lockFile;
  private final TopicsFile topics;
  private final CleanShutdownMarker marker;
  private final OffsetCheckpoint recoveryPointFile;
  private final OffsetCheckpoint logStartFile;
  private final OffsetCheckpoint highWatermarkFile;
  private final Map<TopicPartition, Long> recoveryPoints;

  @GuardedBy("lock")
  private final Map<TopicPartition, Long> logStarts;

  private DataDirectory(Path path, FileChannel lockFile) throws IOException {
    this.path = path;
    this.lockFile = lockFile;
    this.topics = new TopicsFile(path);
    this.marker = new CleanShutdownMarker(path);
    this.recoveryPointFile = new OffsetCheckpoint(path.resolve(OffsetCheckpoint.RECOVERY_POINT));
    this.logStartFile = new OffsetCheckpoint(path.resolve(OffsetCheckpoint.LOG_START_OFFSET));
    this.highWatermarkFile = new OffsetCheckpoint(path.resolve(OffsetCheckpoint.HIGH_WATERMARK));
    this.recoveryPoints = recoveryPointFile.read();
    this.logStarts = new HashMap<>(logStartFile.read());
    marker.delete();
  }

  /**
   * Opens a directory, and makes it if there is none.
   *
   * @throws IOException if it can't be written, another process has it, or it is a Kafka broker's
   */
  public static DataDirectory open(Path path) throws IOException {
    Files.createDirectories(path);
    if (Files.exists(path.resolve(KAFKA_META))) {
      throw new IOException(
          path
              + ": is the log directory of a Kafka broker, as its "
              + KAFKA_META
              + " says; open it read-only with --archive NAME="
              + path);
    }
    FileChannel lockFile =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (tryLock(lockFile) == null) {
        throw new IOException(
            path
                + ": another process has the lock "
                + LOCK
                + "; stop it, or use another directory");
      }
      return new DataDirectory(path, lockFile);
    } catch (IOException | RuntimeException e) {
      lockFile.close();
      throw e;
    }
  }

  private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
    try {
      return file.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // Held by this very process.
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

  /** Returns the directory of a partition. */
  public Path partitionPath(TopicPartition partition) {
    return path.resolve(partition.toString());
  }

  /** Returns up to where a partition was known to be on disk when last stored, exclusive. */
  public long recoveryPoint(TopicPartition partition) {
    return recoveryPoints.getOrDefault(partition, 0L);
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
      Map<TopicPartition, Long> next = new HashMap<>(logStarts);
      next.put(partition, logStartOffset);
      logStartFile.write(next);
      logStarts.put(partition, logStartOffset);
    }
  }

  /** Forgets a partition that is deleted. */
  public void forget(TopicPartition partition) throws IOException {
    synchronized (lock) {
      if (logStarts.remove(partition) != null) {
        logStartFile.write(logStarts);
      }
    }
  }

  /** Stores up to where partitions are on disk. */
  public void storeRecoveryPoints(Map<TopicPartition, Long> offsets) throws IOException {
    synchronized (lock) {
      recoveryPointFile.write(offsets);
    }
  }

  /** Says that everything was put on disk in order; nothing may be written after. */
  public void markClean(Map<TopicPartition, Long> highWatermarks) throws IOException {
    synchronized (lock) {
      recoveryPointFile.write(highWatermarks);
      highWatermarkFile.write(highWatermarks);
      marker.write();
    }
  }

  /** Lets another process have the directory. */
  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
