package io.whence.log;

/**
 * What of the timelines is in memory. Thread safety: immutable.
 *
 * @param settled whether a start has all that it waits for, or as much of it as there is room for
 * @param loadedCount how many segments have theirs in memory, active ones included
 * @param unloadedCount how many don't: no room, not asked for, still to be loaded, or not to be
 *     read
 * @param failedCount how many of these can't be read
 * @param loadedBytes how much memory they take
 * @param budgetBytes how much they may take
 */
public record PreloadStatus(
    boolean settled,
    int loadedCount,
    int unloadedCount,
    int failedCount,
    long loadedBytes,
    long budgetBytes) {}
