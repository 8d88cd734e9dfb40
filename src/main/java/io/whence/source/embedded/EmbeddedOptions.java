package io.whence.source.embedded;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What an embedded source needs. Thread safety: immutable.
 *
 * @param data the data directory
 * @param clock the time
 * @param flusher runs what waits for the disk; a few threads
 * @param opener runs the opening, making and closing of logs; a few threads, none of the flusher
 * @param scheduler runs retention, checkpoints and the deletion of files
 * @param retentionInterval how often retention runs
 * @param deleteDelay how long the files of removed segments stay, for readers of older snapshots
 * @param events is told what happens in the logs
 * @param memory what all logs of the process share
 */
public record EmbeddedOptions(
    Path data,
    InstantSource clock,
    Executor flusher,
    Executor opener,
    ScheduledExecutorService scheduler,
    Duration retentionInterval,
    Duration deleteDelay,
    LogEvents events,
    LogMemory memory) {}
