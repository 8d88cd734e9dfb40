package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashSet;

/**
 * Bounds how many .log files are open, so that the number of segments is not bounded by what the
 * operating system allows a process. A file that is over the bound is closed unless it was used
 * since it was last looked at, and opens again when it is needed. Thread safety: thread-safe; its
 * lock is never taken under that of a file.
 */
final class OpenFiles {
  private static final int SMALLEST_LIMIT = 64;
  private static final int LIMIT_IF_UNKNOWN = 1024;

  /** The files of this process; half of what it may open, the rest is for connections. */
  static final OpenFiles OF_PROCESS = new OpenFiles(limitOfProcess());

  private final int limit;

  /** By when they were opened or looked at last, the longest ago first. */
  @GuardedBy("this")
  private final LinkedHashSet<SegmentFile> files = new LinkedHashSet<>();

  OpenFiles(int limit) {
    this.limit = limit;
  }

  private static int limitOfProcess() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long half = system.getMaxFileDescriptorCount() / 2;
      return (int) Math.max(SMALLEST_LIMIT, Math.min(half, Integer.MAX_VALUE));
    }
    return LIMIT_IF_UNKNOWN;
  }

  /** Takes note that a file was opened, and closes others if there are too many. */
  synchronized void opened(SegmentFile file) throws IOException {
    files.remove(file);
    files.add(file);
    // Twice around at the most: the first time takes note of what is used, the second closes it.
    for (int tries = 2 * files.size(); tries > 0 && files.size() > limit; tries--) {
      SegmentFile oldest = files.iterator().next();
      files.remove(oldest);
      if (!oldest.closeIfIdle()) {
        files.add(oldest);
      }
    }
  }

  synchronized int count() {
    return files.size();
  }
}
