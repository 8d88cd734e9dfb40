package io.whence.source.archive;

import io.whence.model.TopicPartition;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/** Names where the indexes of a partition of an archive are kept. Touches no file. */
final class IndexCacheDirectory {
  private IndexCacheDirectory() {}

  /** Returns a directory that no other partition has, of this log directory or another one. */
  static Path of(Path cacheDirectory, Path logDirectory, TopicPartition partition) {
    byte[] path =
        logDirectory.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
    return cacheDirectory
        .resolve(UUID.nameUUIDFromBytes(path).toString())
        .resolve(partition.toString());
  }
}
