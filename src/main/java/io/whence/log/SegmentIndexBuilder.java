package io.whence.log;

import io.whence.log.BlockIndex.OpenBlock;
import io.whence.timeline.SegmentTimeline;
import io.whence.timeline.SegmentTimelineBuilder;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Builds the index of a segment batch by batch, with Kafka's rule for where a block begins: at the
 * first batch after more than {@code index.interval.bytes} since the last beginning. The batch that
 * exceeds the interval still belongs to the old block. Thread safety: single-writer; what {@link
 * #build} returned never changes.
 */
final class SegmentIndexBuilder {
  private static final int INITIAL_CAPACITY = 16;

  private final long baseOffset;
  private final int indexIntervalBytes;
  private final Set<Long> openProducers = new HashSet<>();

  private TransactionEvents transactions = TransactionEvents.NONE;
  private BlockArrays columns = new BlockArrays(INITIAL_CAPACITY);
  private int blockCount;
  private OpenBlock open = OpenBlock.NEW;
  private int bytesSinceBlockStart;
  private boolean skipped;
  private int timeEntryCount;
  private long lastTimeEntryMs = -1;
  private long nextOffset;
  private int sizeBytes;
  private TimestampHealth timestamps = TimestampHealth.NONE;
  private long headerMaxMs = -1;
  private long headerMaxOffset;
  private long firstBatchMaxMs = -1;

  /** Empty when what came before was not read. */
  private Optional<SegmentTimelineBuilder> timeline = Optional.of(new SegmentTimelineBuilder());

  SegmentIndexBuilder(long baseOffset, int indexIntervalBytes) {
    this.baseOffset = baseOffset;
    this.indexIntervalBytes = indexIntervalBytes;
    this.nextOffset = baseOffset;
    this.headerMaxOffset = baseOffset;
  }

  /**
   * Goes on where an index ended.
   *
   * @param timeline that of the records that it covers, if known
   */
  static SegmentIndexBuilder resume(
      SegmentIndex index, Optional<SegmentTimeline> timeline, int indexIntervalBytes) {
    SegmentIndexBuilder builder = new SegmentIndexBuilder(index.baseOffset(), indexIntervalBytes);
    BlockIndex blocks = index.blocks().load();
    builder.blockCount = blocks.blockCount();
    builder.columns = blocks.copyColumns(Math.max(INITIAL_CAPACITY, 2 * builder.blockCount));
    int last = builder.blockCount - 1;
    if (last >= 0) {
      builder.open = blocks.open();
      builder.bytesSinceBlockStart = index.sizeBytes() - blocks.position(last);
      builder.skipped = blocks.relativeFirstLastOffset(last) == BlockIndex.NOT_A_BATCH;
    }
    builder.nextOffset = index.nextOffset();
    builder.sizeBytes = index.sizeBytes();
    builder.timestamps = index.timestamps();
    builder.headerMaxMs = index.headerMaxMs();
    builder.headerMaxOffset = index.headerMaxOffset();
    builder.firstBatchMaxMs = index.firstBatchMaxMs();
    for (int block = 1; block < builder.blockCount; block++) {
      builder.countTimeEntry(block);
    }
    index.transactions().forEach(builder::addTransactionEvent);
    builder.timeline = timeline.map(SegmentTimelineBuilder::new);
    return builder;
  }

  int indexIntervalBytes() {
    return indexIntervalBytes;
  }

  long baseOffset() {
    return baseOffset;
  }

  long nextOffset() {
    return nextOffset;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  /** Returns how many entries Kafka's offset index has. */
  int offsetEntryCount() {
    return Math.max(0, blockCount - 1);
  }

  /** Returns how many entries Kafka's time index has, the closing one not counted. */
  int timeEntryCount() {
    return timeEntryCount;
  }

  long firstBatchMaxMs() {
    return firstBatchMaxMs;
  }

  /** Passes over bytes that hold no batch that can be read; they become a block without records. */
  void skip(int bytes, long newNextOffset) {
    beginBlock(nextOffset, BlockIndex.NOT_A_BATCH);
    sizeBytes += bytes;
    nextOffset = newNextOffset;
    skipped = true;
  }

  /** Adds the batch that follows the last one in the file. */
  void add(BatchStats batch) {
    if (batch.headerMaxMs() > headerMaxMs) {
      headerMaxMs = batch.headerMaxMs();
      headerMaxOffset = batch.lastOffset();
    }
    if (blockCount == 0 || skipped || bytesSinceBlockStart > indexIntervalBytes) {
      beginBlock(batch.baseOffset(), (int) (batch.lastOffset() - baseOffset));
      skipped = false;
    }
    open = open.plus(batch);
    bytesSinceBlockStart += batch.sizeBytes();
    timestamps = timestamps.plus(healthOf(batch));
    if (sizeBytes == 0) {
      firstBatchMaxMs = batch.headerMaxMs();
    }
    addTransactionEvent(batch.transaction());
    timeline.ifPresent(records -> batch.records().addTo(records, batch.baseOffset()));
    sizeBytes += batch.sizeBytes();
    nextOffset = batch.lastOffset() + 1;
  }

  /** Returns the timeline of all records, if it is known. */
  Optional<SegmentTimeline> timeline() {
    return timeline.map(SegmentTimelineBuilder::build);
  }

  /** Goes on with another timeline of the same records, or of those that are left of them. */
  void setTimeline(SegmentTimeline records) {
    timeline = Optional.of(new SegmentTimelineBuilder(records));
  }

  /** Holds the timeline no longer: somebody else does. */
  void forgetTimeline() {
    timeline = Optional.empty();
  }

  SegmentIndex build() {
    return new SegmentIndex(
        baseOffset,
        nextOffset,
        sizeBytes,
        new BlockIndex(columns, blockCount, open),
        timestamps,
        transactions,
        headerMaxMs,
        headerMaxOffset,
        firstBatchMaxMs);
  }

  private void beginBlock(long startOffset, int relativeFirstLastOffset) {
    if (blockCount > 0) {
      closeBlock(blockCount - 1);
    }
    if (blockCount == columns.capacity()) {
      columns = columns.copyOf(2 * blockCount);
    }
    columns.positions[blockCount] = sizeBytes;
    columns.baseOffsets[blockCount] = (int) (startOffset - baseOffset);
    columns.firstLastOffsets[blockCount] = relativeFirstLastOffset;
    columns.headerMaxMs[blockCount] = headerMaxMs;
    columns.headerMaxOffsets[blockCount] = (int) (headerMaxOffset - baseOffset);
    if (blockCount > 0) {
      countTimeEntry(blockCount);
    }
    blockCount++;
    open = OpenBlock.NEW;
    bytesSinceBlockStart = 0;
  }

  private void countTimeEntry(int block) {
    if (columns.headerMaxMs[block] > lastTimeEntryMs) {
      lastTimeEntryMs = columns.headerMaxMs[block];
      timeEntryCount++;
    }
  }

  private void closeBlock(int block) {
    columns.minMs[block] = open.minMs();
    columns.maxMs[block] = open.maxMs();
    columns.recordCounts[block] = open.recordCount();
    columns.timedCounts[block] = open.timedCount();
    columns.transactional[block] = open.transactional();
    if (block % BlockArrays.GROUP_SIZE == BlockArrays.GROUP_SIZE - 1) {
      columns.closeGroup(block);
    }
  }

  private TimestampHealth healthOf(BatchStats batch) {
    long behindEarlierBatches =
        batch.timedCount() > 0 && timestamps.maxMs() > batch.minMs()
            ? timestamps.maxMs() - batch.minMs()
            : 0;
    return new TimestampHealth(
        batch.recordCount(),
        batch.recordCount() - batch.timedCount(),
        batch.minMs(),
        batch.maxMs(),
        Math.max(batch.disorderMs(), behindEarlierBatches));
  }

  private void addTransactionEvent(TransactionEvent event) {
    switch (event.kind()) {
      case NONE -> {}
      case DATA -> {
        if (openProducers.add(event.producerId())) {
          transactions = transactions.plus(event);
        }
      }
      case COMMIT, ABORT -> {
        openProducers.remove(event.producerId());
        transactions = transactions.plus(event);
      }
    }
  }
}
