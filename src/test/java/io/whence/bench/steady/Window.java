package io.whence.bench.steady;

import io.whence.bench.Sample;
import java.util.Map;

/**
 * What was seen in a part of the time. Thread safety: immutable.
 *
 * @param minutes when it ended, since the start of the load
 * @param calls how long calls took, by kind
 * @param heapBytes what was left of the heap after a full collection at its end
 * @param residentBytes memory of the process by then
 * @param openFiles files and connections that the process had open by then
 * @param threads threads that the process had by then
 */
record Window(
    double minutes,
    Map<Kind, Sample> calls,
    long heapBytes,
    long residentBytes,
    long openFiles,
    long threads) {
  Window {
    calls = Map.copyOf(calls);
  }
}
