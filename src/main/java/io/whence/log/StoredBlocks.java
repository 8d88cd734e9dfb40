package io.whence.log;

import java.io.IOException;

/**
 * The blocks of a segment that is no longer appended to, in its index files or in the cache. Thread
 * safety: thread-safe.
 */
final class StoredBlocks implements BlockSource {
  /** Held while they are read: of those who need them at a time, one does it. */
  private final Object reading = new Object();

  private final IndexFiles files;
  private final int blockCount;
  private final BlockIndexCache cache;

  StoredBlocks(IndexFiles files, int blockCount, BlockIndexCache cache) {
    this.files = files;
    this.blockCount = blockCount;
    this.cache = cache;
  }

  @Override
  public BlockIndex load() {
    return cache.get(this);
  }

  @Override
  public int blockCount() {
    return blockCount;
  }

  @Override
  public boolean isWhole() {
    return true; // Others have no files.
  }

  IndexFiles files() {
    return files;
  }

  Object reading() {
    return reading;
  }

  /** Reads them from where they are. */
  BlockIndex read() {
    return files.readBlocks();
  }

  /** Deletes the files; nobody needs the blocks any more. */
  void delete() throws IOException {
    cache.forget(this);
    files.delete();
  }
}
