package io.whence.log;

/**
 * The blocks of a segment, in memory or in a file. Thread safety: thread-safe; what it gives never
 * changes.
 */
sealed interface BlockSource permits BlockIndex, StoredBlocks {
  /**
   * Returns the blocks; may read files, so never on an event loop.
   *
   * @throws io.whence.model.WhenceException {@code DAMAGED_LOG} or {@code STORAGE_ERROR} if they
   *     are no longer to be had as they were
   */
  BlockIndex load();

  /** Returns how many there are. Reads no file. */
  int blockCount();

  /** Returns whether every byte that they cover belongs to a batch that can be read. No file. */
  boolean isWhole();
}
