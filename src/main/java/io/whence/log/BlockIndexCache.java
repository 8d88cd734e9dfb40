package io.whence.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of segments that were asked for last, of all logs of the process. Invariant: what it
 * holds never takes more than its bound; what is larger than all of it is read for each asker.
 * Thread safety: thread-safe; its lock is never held while files are read.
 */
public final class BlockIndexCache {
  private final Object lock = new Object();
  private final long maxBytes;

  /** By the time of the last use, oldest first. */
  @GuardedBy("lock")
  private final LinkedHashMap<StoredBlocks, BlockIndex> held = new LinkedHashMap<>(16, 0.75f, true);

  @GuardedBy("lock")
  private long heldBytes;

  /**
   * Makes an empty cache.
   *
   * @param maxBytes how much memory it may take; 0 for none
   */
  public BlockIndexCache(long maxBytes) {
    if (maxBytes < 0) {
      throw new IllegalArgumentException("maxBytes: expected 0 or more, found " + maxBytes);
    }
    this.maxBytes = maxBytes;
  }

  /** Returns how many bytes of memory the blocks take that it holds. */
  public long heldBytes() {
    synchronized (lock) {
      return heldBytes;
    }
  }

  /** Returns blocks, and reads them if need be. Of those who ask meanwhile, one reads. */
  BlockIndex get(StoredBlocks stored) {
    BlockIndex known = find(stored);
    if (known != null) {
      return known;
    }
    synchronized (stored.reading()) {
      known = find(stored);
      if (known != null) {
        return known;
      }
      BlockIndex read = stored.read();
      put(stored, read);
      return read;
    }
  }

  /** Lets go of blocks that will hardly be asked for again. */
  void forget(StoredBlocks stored) {
    synchronized (lock) {
      BlockIndex gone = held.remove(stored);
      heldBytes -= gone == null ? 0 : gone.sizeInBytes();
    }
  }

  private @Nullable BlockIndex find(StoredBlocks stored) {
    synchronized (lock) {
      return held.get(stored);
    }
  }

  private void put(StoredBlocks stored, BlockIndex blocks) {
    synchronized (lock) {
      if (blocks.sizeInBytes() > maxBytes || held.putIfAbsent(stored, blocks) != null) {
        return;
      }
      heldBytes += blocks.sizeInBytes();
      var oldest = held.entrySet().iterator();
      while (heldBytes > maxBytes) {
        Map.Entry<StoredBlocks, BlockIndex> next = oldest.next();
        heldBytes -= next.getValue().sizeInBytes();
        oldest.remove();
      }
    }
  }
}
