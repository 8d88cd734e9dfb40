package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockIndexCacheTest {
  @TempDir Path directory;

  private OwnedLog open(BlockIndexCache cache) {
    OwnedLog owned = OwnedLog.open(directory, "segment.bytes", 1024, "index.interval.bytes", 100);
    for (int i = 0; i < 60; i++) {
      owned.append(i, i);
    }
    owned.memory = OwnedLog.memoryOf(cache);
    return owned.reopen();
  }

  private static List<StoredBlocks> stored(OwnedLog owned) {
    return owned.snapshot().views().stream()
        .map(view -> view.index().blocks())
        .filter(StoredBlocks.class::isInstance)
        .map(StoredBlocks.class::cast)
        .toList();
  }

  @Test
  void get_manySegmentsAtRandom_staysWithinTheBoundAndIsRight() {
    long seed = System.nanoTime();
    System.out.println("BlockIndexCacheTest seed=" + seed);
    Random random = new Random(seed);
    long bytes = 2500;
    BlockIndexCache cache = new BlockIndexCache(bytes);
    try (OwnedLog owned = open(cache)) {
      List<StoredBlocks> all = stored(owned);
      long allBytes = all.stream().mapToLong(one -> one.read().sizeInBytes()).sum();
      assertThat(allBytes).isGreaterThan(2 * bytes);
      for (int i = 0; i < 2000; i++) {
        StoredBlocks one = all.get(random.nextInt(all.size()));
        assertThat(cache.get(one).blockCount()).isEqualTo(one.blockCount());
        assertThat(cache.heldBytes()).isBetween(1L, bytes);
        if (random.nextInt(20) == 0) {
          cache.forget(one);
        }
      }
      all.forEach(cache::forget);
      assertThat(cache.heldBytes()).isZero();
    }
  }

  @Test
  void get_again_isTheSameUntilOthersAreUsedMore() {
    BlockIndexCache cache = new BlockIndexCache(2500);
    try (OwnedLog owned = open(cache)) {
      List<StoredBlocks> all = stored(owned);
      BlockIndex first = cache.get(all.get(0));
      for (StoredBlocks other : all) {
        cache.get(other);
        assertThat(cache.get(all.get(0))).isSameAs(first);
      }
      all.subList(1, all.size()).forEach(cache::get);
      assertThat(cache.get(all.get(0))).isNotSameAs(first);
    }
  }

  @Test
  void get_oneByManyThreads_readsItOnce() throws Exception {
    BlockIndexCache cache = new BlockIndexCache(1 << 20);
    int threads = 8;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (OwnedLog owned = open(cache)) {
      StoredBlocks one = stored(owned).get(0);
      long segmentBytes = owned.snapshot().segments().get(0).sizeBytes();
      deleteFile(owned);
      cache.forget(one);
      owned.disk.resetReadBytes();
      CyclicBarrier start = new CyclicBarrier(threads);
      List<Future<BlockIndex>> got = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        got.add(
            pool.submit(
                () -> {
                  start.await(60, TimeUnit.SECONDS);
                  return cache.get(one);
                }));
      }
      BlockIndex first = got.get(0).get(60, TimeUnit.SECONDS);
      for (Future<BlockIndex> other : got) {
        assertThat(other.get(60, TimeUnit.SECONDS)).isSameAs(first);
      }
      assertThat(owned.disk.readBytes()).isEqualTo(segmentBytes);
    } finally {
      pool.shutdownNow();
    }
  }

  private static void deleteFile(OwnedLog owned) throws IOException {
    Files.delete(owned.file(0, ".blockindex"));
  }

  @Test
  void cache_ofNegativeSize_isRefused() {
    assertThatThrownBy(() -> new BlockIndexCache(-1)).hasMessageContaining("-1");
  }
}
