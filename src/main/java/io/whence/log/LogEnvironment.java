package io.whence.log;

import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.Executor;

/**
 * What a log needs from outside. Thread safety: immutable.
 *
 * @param clock the time
 * @param flusher runs what waits for the disk; a few threads
 * @param deleter deletes files of removed segments, some time later
 * @param checkpointBytes how many new bytes of the active segment make a checkpoint of its index,
 *     so that no more than these are read again after a crash; of a large segment, an eighth of it
 * @param events is told what happens
 * @param disk where .log files are
 * @param memory what all logs share
 */
public record LogEnvironment(
    InstantSource clock,
    Executor flusher,
    FileDeleter deleter,
    int checkpointBytes,
    LogEvents events,
    Disk disk,
    LogMemory memory) {

  /** Makes an environment with memory of its own. */
  public LogEnvironment(
      InstantSource clock,
      Executor flusher,
      FileDeleter deleter,
      int checkpointBytes,
      LogEvents events,
      Disk disk) {
    this(clock, flusher, deleter, checkpointBytes, events, disk, LogMemory.usual());
  }

  /** Makes an environment on the disk of the operating system. */
  public LogEnvironment(
      InstantSource clock,
      Executor flusher,
      FileDeleter deleter,
      int checkpointBytes,
      LogEvents events) {
    this(clock, flusher, deleter, checkpointBytes, events, Disk.REAL);
  }

  /** Deletes files some time later, when readers of older snapshots are done. */
  @FunctionalInterface
  public interface FileDeleter {
    /** Takes a deletion to run. */
    void deleteLater(Deletion deletion);
  }

  /** Closes and deletes the files of a segment. */
  @FunctionalInterface
  public interface Deletion {
    /** Deletes. */
    void run() throws IOException;
  }
}
