package io.whence.log;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How to read the log of one partition of an archive. Thread safety: immutable.
 *
 * @param cleanShutdown whether the broker shut down in order, so that nothing is to be recovered
 * @param checkpointedLogStartOffset what the log-start-offset-checkpoint says; null without a line
 * @param checkpointedRecoveryPoint what the recovery-point-offset-checkpoint says; null without a
 *     line
 * @param salvage keeps what lies behind damage instead of ending the log there
 * @param cacheDirectory where indexes outlive the process; null for nowhere
 * @param memory what all logs share
 * @param events is told of damage that readers find
 */
public record ArchiveRules(
    boolean cleanShutdown,
    @Nullable Long checkpointedLogStartOffset,
    @Nullable Long checkpointedRecoveryPoint,
    boolean salvage,
    @Nullable Path cacheDirectory,
    LogMemory memory,
    LogEvents events) {

  OptionalLong logStartOffset() {
    return checkpointedLogStartOffset == null
        ? OptionalLong.empty()
        : OptionalLong.of(checkpointedLogStartOffset);
  }

  OptionalLong recoveryPoint() {
    return checkpointedRecoveryPoint == null
        ? OptionalLong.empty()
        : OptionalLong.of(checkpointedRecoveryPoint);
  }

  Optional<Path> cacheFile(Path log) {
    return Optional.ofNullable(cacheDirectory)
        .map(
            directory ->
                directory.resolve(
                    String.valueOf(log.getFileName()).replace(SegmentNames.LOG, "")
                        + BlockIndexFile.SUFFIX));
  }
}
