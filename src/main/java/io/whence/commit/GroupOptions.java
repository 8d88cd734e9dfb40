package io.whence.commit;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How group offsets are kept. Thread safety: immutable.
 *
 * @param clock the time
 * @param retention how long an offset is kept after its last commit, or after its group is empty
 * @param historyLimit how many changes of each offset are kept, at least
 * @param requestWindow how long a request is remembered
 * @param maxRequests how many requests are remembered at the most
 * @param metadataMaxChars how many UTF-16 characters the metadata of a commit may have
 * @param segmentBytes largest size of a segment of the offsets topic
 * @param events is told what happens
 */
public record GroupOptions(
    InstantSource clock,
    Duration retention,
    int historyLimit,
    Duration requestWindow,
    int maxRequests,
    int metadataMaxChars,
    int segmentBytes,
    GroupEvents events) {}
