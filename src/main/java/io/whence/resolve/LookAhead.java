package io.whence.resolve;

import io.whence.log.LogSnapshot;
import io.whence.log.TimelineSearch;
import io.whence.model.IsolationLevel;
import io.whence.model.Position;
import io.whence.timeline.SegmentTimeline;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what the answers about some logs are going to look at, and decides nothing by it. An
 * answer follows a chain of objects, each of which says where the next one is, so it waits for
 * memory at each of them; here the processor goes along the chains of several logs side by side,
 * and waits for all of them about as long as for one. Thread safety: single-writer.
 */
public final class LookAhead {
  /** More would push each other out of the nearest cache. */
  public static final int MAX_LOGS = 16;

  private final @Nullable LogSnapshot[] logs = new LogSnapshot[MAX_LOGS];
  private final @Nullable TimelineSearch[] searches = new TimelineSearch[MAX_LOGS];
  private final @Nullable SegmentTimeline[] timelines = new SegmentTimeline[MAX_LOGS];
  private int count;

  private long seen;

  /** Adds one of at most {@link #MAX_LOGS} logs. */
  public void add(LogSnapshot log) {
    logs[count++] = log;
  }

  /** Looks at what the answers about the logs added need, and forgets the logs. */
  public void look(Position position, IsolationLevel isolation) {
    if (position instanceof Position.AtOrAfter p) {
      look(Math.max(p.targetTimestampMs(), 0), isolation);
    } else if (position instanceof Position.AtOrBefore p) {
      look(p.targetTimestampMs(), isolation);
    } else if (position instanceof Position.AllAfter p) {
      look(p.targetTimestampMs(), isolation);
    }
    clear();
  }

  /** One loop for each part of the way: the shorter a loop, the more of its rounds overlap. */
  private void look(long targetMs, IsolationLevel isolation) {
    for (int i = 0; i < count; i++) {
      LogSnapshot log = logs[i];
      searches[i] = log == null ? null : log.timelines(isolation);
    }
    for (int i = 0; i < count; i++) {
      TimelineSearch search = searches[i];
      timelines[i] = search == null ? null : search.timelineAt(targetMs);
    }
    for (int i = 0; i < count; i++) {
      SegmentTimeline timeline = timelines[i];
      seen += timeline == null ? 0 : timeline.glance(targetMs);
    }
  }

  /** Returns a sum of what was seen: without it, the compiler would find that nobody needs it. */
  long seen() {
    return seen;
  }

  /** Forgets the logs. */
  public void clear() {
    for (int i = 0; i < count; i++) {
      logs[i] = null;
      searches[i] = null;
      timelines[i] = null;
    }
    count = 0;
  }
}
