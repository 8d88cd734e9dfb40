package io.whence.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file that says that everything in a log directory was on the disk at the last stop. Its
 * existence alone counts. Invariant: gone before anything is changed. Thread safety: single-writer.
 */
public final class CleanShutdownMarker {
  /** The name of the file in the log directory. */
  public static final String FILE_NAME = ".kafka_cleanshutdown";

  // A broker epoch of -1 tells a broker that opens the directory that none of its own wrote it.
  private static final String CONTENT = "{\"version\":0,\"brokerEpoch\":-1}";

  private final AtomicFile file;

  /** Makes a marker; touches no file. */
  public CleanShutdownMarker(Path logDirectory) {
    file = new AtomicFile(logDirectory.resolve(FILE_NAME));
  }

  /** Returns whether the last stop was clean. */
  public boolean exists() {
    return Files.exists(file.path());
  }

  /** Says that this stop is clean; on the disk when it returns. */
  public void write() throws IOException {
    file.writeText(CONTENT);
  }

  /** Takes it back, if it was said; gone from the disk when it returns. */
  public void delete() throws IOException {
    file.delete();
  }
}
