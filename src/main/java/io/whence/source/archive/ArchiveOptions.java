package io.whence.source.archive;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an archive is made of and how it is read. Thread safety: immutable.
 *
 * @param logDirectories the log directories ({@code log.dirs}) of one broker, at least one
 * @param salvage keeps what lies behind damage instead of ending a log there, as a broker would
 *     after a crash
 * @param topics which topics are served: the pattern matches the whole name
 * @param cacheDirectory where indexes are kept for the next start, outside of all log directories;
 *     null for nowhere
 * @param memory what all logs of the process share
 * @param events is told of damage that readers find
 */
public record ArchiveOptions(
    List<Path> logDirectories,
    boolean salvage,
    Pattern topics,
    @Nullable Path cacheDirectory,
    LogMemory memory,
    LogEvents events) {
  private static final Pattern ALL_TOPICS = Pattern.compile(".*");

  /** Rejects archives of nothing, and caches that would be written into the archive. */
  public ArchiveOptions {
    logDirectories = List.copyOf(logDirectories);
    if (logDirectories.isEmpty()) {
      throw new IllegalArgumentException("an archive needs at least one log directory; none given");
    }
    if (cacheDirectory != null) {
      Path cache = cacheDirectory.toAbsolutePath().normalize();
      for (Path directory : logDirectories) {
        if (cache.startsWith(directory.toAbsolutePath().normalize())) {
          throw new IllegalArgumentException(
              "cache directory "
                  + cacheDirectory
                  + ": is inside the archive "
                  + directory
                  + ", which is never written; give another one");
        }
      }
    }
  }

  /** Returns options with defaults: all topics, no salvage, no cache. */
  public static ArchiveOptions of(List<Path> logDirectories) {
    return new ArchiveOptions(
        logDirectories, false, ALL_TOPICS, null, LogMemory.usual(), LogEvents.NOOP);
  }

  /** Returns these options with another cache directory. */
  public ArchiveOptions withCache(Path directory) {
    return new ArchiveOptions(logDirectories, salvage, topics, directory, memory, events);
  }

  /** Returns these options with salvage or without. */
  public ArchiveOptions withSalvage(boolean wanted) {
    return new ArchiveOptions(logDirectories, wanted, topics, cacheDirectory, memory, events);
  }

  /** Returns these options for the topics whose whole name matches. */
  public ArchiveOptions withTopics(Pattern pattern) {
    return new ArchiveOptions(logDirectories, salvage, pattern, cacheDirectory, memory, events);
  }

  /** Returns these options with somebody who is told of damage that readers find. */
  public ArchiveOptions withEvents(LogEvents listener) {
    return new ArchiveOptions(logDirectories, salvage, topics, cacheDirectory, memory, listener);
  }

  Optional<Path> cache() {
    return Optional.ofNullable(cacheDirectory);
  }
}
