package io.whence.commit.kafka;

import java.time.InstantSource;

/**
 * What guarded commits are made with. Thread safety: immutable; so is none of what it holds, but
 * all of it is thread-safe.
 *
 * @param source the name of the source, for messages
 * @param reads reads what is committed
 * @param producers commit in transactions
 * @param members names who keeps a group from being changed
 * @param failures says what a client is told
 * @param clock the time
 */
record GuardedCommits(
    String source,
    OffsetReads reads,
    GroupProducers producers,
    GroupMembers members,
    ClusterFailures failures,
    InstantSource clock) {}
