package io.whence.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.log.TransactionEvent.Kind;
import io.whence.model.TimeWindow;
import io.whence.model.TimestampType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builders and the indexes they hand out, against lists that are searched one by one. */
class SegmentIndexBuilderTest {
  private static final long SEED = Long.getLong("whence.oracle.seed", System.nanoTime());
  private static final long BASE = 1000;
  private static final int BATCH_BYTES = 100;

  /** The ends of groups of 64, and the places where columns grow. */
  private static final int[] COUNTS = {1, 15, 16, 17, 63, 64, 65, 66, 127, 128, 129, 130, 200};

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 99, 100, 101, 450})
  void build_afterEveryBatch_neverChangesWhileTheBuilderGrows(int interval) {
    Random random = random();
    SegmentIndexBuilder builder = new SegmentIndexBuilder(BASE, interval);
    List<SegmentIndex> taken = new ArrayList<>();
    List<List<Object>> seen = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      addRandom(builder, random);
      taken.add(builder.build());
      seen.add(contents(builder.build()));
    }

    for (int i = 0; i < taken.size(); i++) {
      assertThat(contents(taken.get(i))).as("after batch %d", i).isEqualTo(seen.get(i));
      if (i % 7 == 0 || i > 120 && i < 136) {
        assertSearches(taken.get(i).blocks().load(), random);
      }
    }
  }

  @Test
  void searches_aroundGroupBoundaries_equalOneByOne() {
    Random random = random();
    for (int count : COUNTS) {
      for (int round = 0; round < 20; round++) {
        SegmentIndexBuilder builder = new SegmentIndexBuilder(BASE, 0);
        for (int i = 0; i < count; i++) {
          addRandom(builder, random);
        }
        assertSearches(builder.build().blocks().load(), random);
      }
    }
  }

  @Test
  void firstReaching_ascendingTimes_findsEveryBlockFromEveryOther() {
    BlockIndex blocks = ascending(200).blocks().load();

    for (int from : new int[] {0, 1, 63, 64, 65, 127, 128, 150, 199}) {
      for (int block = 0; block < 200; block++) {
        assertThat(blocks.firstReaching(from, block)).isEqualTo(Math.max(from, block));
        assertThat(blocks.lastReachingDownTo(from, block)).isEqualTo(Math.min(from, block));
      }
      assertThat(blocks.firstReaching(from, 200)).isEqualTo(BlockIndex.NO_BLOCK);
      assertThat(blocks.lastReachingDownTo(from, -1)).isEqualTo(BlockIndex.NO_BLOCK);
    }
  }

  @Test
  void lastReachingDownTo_descendingTimes_findsEveryBlockFromTheEnd() {
    SegmentIndexBuilder builder = new SegmentIndexBuilder(BASE, 0);
    for (int i = 0; i < 200; i++) {
      builder.add(batch(builder, 1, 1000 - i));
    }
    BlockIndex blocks = builder.build().blocks().load();

    for (int block = 0; block < 200; block++) {
      assertThat(blocks.lastReachingDownTo(199, 1000 - block)).isEqualTo(199);
      assertThat(blocks.firstReaching(0, 1000 - block)).isZero();
      assertThat(blocks.firstReaching(block, 1000 - block)).isEqualTo(block);
      assertThat(blocks.lastReachingDownTo(block, 1000 - block)).isEqualTo(block);
    }
  }

  @Test
  void resume_anywhere_equalsGoingOn() {
    Random random = random();
    for (int cut : COUNTS) {
      for (int interval : new int[] {0, 150, 700}) {
        SegmentIndexBuilder whole = new SegmentIndexBuilder(BASE, interval);
        addRandom(whole, random, cut);
        SegmentIndexBuilder resumed =
            SegmentIndexBuilder.resume(whole.build(), Optional.empty(), interval);
        long seed = random.nextLong();
        addRandom(whole, new Random(seed), 90);
        addRandom(resumed, new Random(seed), 90);

        assertThat(contents(resumed.build())).isEqualTo(contents(whole.build()));
        assertSearches(resumed.build().blocks().load(), random);
      }
    }
  }

  @Test
  void resume_behindSkippedBytes_beginsABlockAsGoingOnDoes() {
    SegmentIndexBuilder whole = new SegmentIndexBuilder(BASE, 4096);
    whole.add(batch(whole, 2, 5, 6));
    whole.skip(50, BASE + 4);
    SegmentIndexBuilder resumed = SegmentIndexBuilder.resume(whole.build(), Optional.empty(), 4096);

    whole.add(batch(whole, 1, 7));
    resumed.add(batch(resumed, 1, 7));

    assertThat(resumed.build().blocks().load().blockCount()).isEqualTo(3);
    assertThat(contents(resumed.build())).isEqualTo(contents(whole.build()));
  }

  @Test
  void file_writtenAndRead_isTheSameIndex(@TempDir Path directory) throws IOException {
    Random random = random();
    Path path = directory.resolve("1000.blocks");
    for (int count : COUNTS) {
      SegmentIndexBuilder builder = new SegmentIndexBuilder(BASE, 150);
      addRandom(builder, random, count);
      fileOf(path, 42, 150).write(builder.build());

      SegmentIndex read = fileOf(path, 42, 150).read().orElseThrow().index();

      assertThat(contents(read)).isEqualTo(contents(builder.build()));
      assertSearches(read.blocks().load(), random);
      SegmentIndexBuilder resumed = SegmentIndexBuilder.resume(read, Optional.empty(), 150);
      long seed = random.nextLong();
      addRandom(builder, new Random(seed), 90);
      addRandom(resumed, new Random(seed), 90);
      assertThat(contents(resumed.build())).isEqualTo(contents(builder.build()));
      assertSearches(resumed.build().blocks().load(), random);
    }
  }

  @Test
  void file_emptySegment_isTheSameIndex(@TempDir Path directory) throws IOException {
    Path path = directory.resolve("1000.blocks");
    SegmentIndex empty = new SegmentIndexBuilder(BASE, 150).build();
    fileOf(path, 1, 150).write(empty);

    assertThat(contents(fileOf(path, 1, 150).read().orElseThrow().index()))
        .isEqualTo(contents(empty));
    assertThat(fileOf(path, 2, 150).read()).isEmpty();
    assertThat(fileOf(path, 1, 151).read()).isEmpty();
  }

  @BeforeAll
  static void printSeed() {
    System.out.println("SegmentIndexBuilderTest seed=" + SEED);
  }

  private static Random random() {
    return new Random(SEED);
  }

  private static BlockIndexFile fileOf(Path path, long fingerprint, int indexIntervalBytes) {
    return new BlockIndexFile(path, new BlockIndexFile.Key(fingerprint, indexIntervalBytes));
  }

  private static SegmentIndex ascending(int count) {
    SegmentIndexBuilder builder = new SegmentIndexBuilder(BASE, 0);
    for (int i = 0; i < count; i++) {
      builder.add(batch(builder, 1, i));
    }
    return builder.build();
  }

  private static void addRandom(SegmentIndexBuilder builder, Random random, int count) {
    for (int i = 0; i < count; i++) {
      addRandom(builder, random);
    }
  }

  private static void addRandom(SegmentIndexBuilder builder, Random random) {
    if (random.nextInt(25) == 0) {
      builder.skip(1 + random.nextInt(300), builder.nextOffset() + random.nextInt(3));
      return;
    }
    long[] times = new long[random.nextInt(3)];
    for (int i = 0; i < times.length; i++) {
      times[i] = random.nextInt(6) == 0 ? -1 : random.nextInt(1000);
    }
    BatchStats.Timestamps timestamps = new BatchStats.Timestamps(TimestampType.CREATE_TIME, 0);
    for (long timestampMs : times) {
      timestamps.add(0, timestampMs);
    }
    Kind kind = Kind.values()[random.nextInt(4)];
    long base = builder.nextOffset() + random.nextInt(2);
    builder.add(
        timestamps.toStats(
            base,
            base + random.nextInt(4),
            61 + random.nextInt(200),
            random.nextInt(1100) - 1,
            kind == Kind.NONE
                ? TransactionEvent.NONE
                : new TransactionEvent(kind, random.nextInt(3), base)));
  }

  private static BatchStats batch(SegmentIndexBuilder builder, int offsets, long... timesMs) {
    BatchStats.Timestamps timestamps = new BatchStats.Timestamps(TimestampType.CREATE_TIME, 0);
    long maxMs = -1;
    for (long timestampMs : timesMs) {
      timestamps.add(0, timestampMs);
      maxMs = Math.max(maxMs, timestampMs);
    }
    long base = builder.nextOffset();
    return timestamps.toStats(base, base + offsets - 1, BATCH_BYTES, maxMs, TransactionEvent.NONE);
  }

  private static void assertSearches(BlockIndex blocks, Random random) {
    int count = blocks.blockCount();
    for (int i = 0; i < 40; i++) {
      int from = random.nextInt(count);
      long timeMs = random.nextInt(1010) - 5;
      TimeWindow window = new TimeWindow(timeMs, timeMs + random.nextInt(100));
      IntPredicate reaches = b -> blocks.hasTimes(b) && blocks.maxMs(b) >= timeMs;
      IntPredicate reachesDown = b -> blocks.hasTimes(b) && blocks.minMs(b) <= timeMs;
      IntPredicate overlaps = b -> reaches.test(b) && blocks.minMs(b) < window.toMs();
      assertThat(blocks.firstReaching(from, timeMs)).isEqualTo(first(from, count, reaches));
      assertThat(blocks.lastReachingDownTo(from, timeMs)).isEqualTo(last(from, reachesDown));
      assertThat(blocks.firstOverlapping(from, window)).isEqualTo(first(from, count, overlaps));
      assertThat(blocks.lastOverlapping(from, window)).isEqualTo(last(from, overlaps));
      long relative = random.nextInt(1000) - 5;
      int floor = last(count - 1, b -> blocks.relativeBaseOffset(b) <= relative);
      assertThat(blocks.floorBlock(relative)).isEqualTo(Math.max(0, floor));
    }
  }

  private static int first(int from, int count, IntPredicate wanted) {
    return IntStream.range(from, count).filter(wanted).findFirst().orElse(BlockIndex.NO_BLOCK);
  }

  private static int last(int from, IntPredicate wanted) {
    return IntStream.rangeClosed(0, from)
        .map(i -> from - i)
        .filter(wanted)
        .findFirst()
        .orElse(BlockIndex.NO_BLOCK);
  }

  /** Returns all that an index says, to be compared. */
  private static List<Object> contents(SegmentIndex index) {
    List<Object> all = new ArrayList<>();
    all.add(List.of(index.baseOffset(), index.nextOffset(), index.sizeBytes()));
    all.add(List.of(index.headerMaxMs(), index.headerMaxOffset(), index.firstBatchMaxMs()));
    all.add(index.timestamps());
    all.add(index.transactions());
    BlockIndex blocks = index.blocks().load();
    for (int block = 0; block < blocks.blockCount(); block++) {
      all.add(
          List.of(
              List.of(blocks.position(block), index.endPosition(blocks, block)),
              List.of(index.startOffset(blocks, block), index.endOffset(blocks, block)),
              List.of(blocks.relativeFirstLastOffset(block), blocks.headerMaxMs(block)),
              List.of(blocks.relativeHeaderMaxOffset(block), blocks.isTransactional(block)),
              List.of(blocks.minMs(block), blocks.maxMs(block)),
              List.of(blocks.recordCount(block), blocks.timedCount(block))));
    }
    return all;
  }
}
