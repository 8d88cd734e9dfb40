package io.whence.app;

import io.whence.log.LogEvents;
import io.whence.log.LogMemory;
import io.whence.ops.KafkaMetrics;
import java.time.InstantSource;

/**
 * What all sources that follow clusters share. Thread safety: immutable.
 *
 * @param clock the time
 * @param events is told what happens to logs
 * @param memory what all logs share
 * @param metrics shows how they are
 */
record Following(InstantSource clock, LogEvents events, LogMemory memory, KafkaMetrics metrics) {}
