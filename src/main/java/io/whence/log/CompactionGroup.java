package io.whence.log;

import io.whence.record.BatchFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive segments of which a compaction makes one. Invariant: what is left of them fits into a
 * segment by the rules for a roll. Thread safety: single-writer.
 */
final class CompactionGroup {
  private final LogConfig config;
  private final List<SegmentSurvey> surveys = new ArrayList<>();

  /** With room for a batch that says where the segment ends. */
  private long keptBytes = BatchFormat.RECORDS;

  private long indexBytes;
  private long droppedCount;

  CompactionGroup(LogConfig config) {
    this.config = config;
  }

  /** Adds the segment that follows, if it fits; the first one always does. */
  boolean tryAdd(SegmentSurvey survey) {
    SegmentIndex index = survey.segment().view().index();
    long moreIndexBytes = (index.blocks().blockCount() + 1L) * KafkaIndexFiles.TIME_ENTRY_BYTES;
    if (!surveys.isEmpty() && !fits(survey, moreIndexBytes)) {
      return false;
    }
    surveys.add(survey);
    keptBytes += survey.keptBytes();
    indexBytes += moreIndexBytes;
    droppedCount += survey.dropped().cardinality();
    return true;
  }

  private boolean fits(SegmentSurvey survey, long moreIndexBytes) {
    return keptBytes + survey.keptBytes() <= config.number(LogSetting.SEGMENT_BYTES)
        && indexBytes + moreIndexBytes <= config.number(LogSetting.SEGMENT_INDEX_BYTES)
        && survey.segment().nextOffset() - 1 - baseOffset() <= Integer.MAX_VALUE;
  }

  /** Returns whether there is something to drop or to merge. */
  boolean isDue() {
    return droppedCount > 0 || surveys.size() > 1;
  }

  long baseOffset() {
    return surveys.get(0).segment().baseOffset();
  }

  long droppedCount() {
    return droppedCount;
  }

  List<SegmentSurvey> surveys() {
    return surveys;
  }

  List<LogSegment> segments() {
    return surveys.stream().map(SegmentSurvey::segment).toList();
  }
}
