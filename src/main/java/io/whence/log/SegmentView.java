package io.whence.log;

import io.whence.timeline.SegmentTimeline;
import java.util.Optional;

/**
 * A segment as one snapshot sees it. Thread safety: immutable, but for what is in the slot.
 *
 * @param file its .log file, which may have grown since
 * @param index what the snapshot knows of it
 * @param slot its timeline, while it is in memory: of all its records, or of those from the log
 *     start on
 */
record SegmentView(SegmentFile file, SegmentIndex index, TimelineSlot slot) {
  SegmentView(SegmentFile file, SegmentIndex index, Optional<SegmentTimeline> timeline) {
    this(file, index, new TimelineSlot(timeline));
  }

  /** Returns how much memory its timeline takes, or would take. */
  long timelineBytes() {
    long bytes = slot.sizeInBytes();
    return bytes == 0 && index.blocks() instanceof StoredBlocks stored
        ? stored.files().timelineMemoryBytes()
        : bytes;
  }

  Optional<SegmentTimeline> timeline() {
    return Optional.ofNullable(slot.timeline());
  }
}
