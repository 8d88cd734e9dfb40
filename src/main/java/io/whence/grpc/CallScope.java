package io.whence.grpc;

import io.whence.commit.GroupOffsets;
import io.whence.model.ErrorReason;
import io.whence.model.WhenceException;
import io.whence.source.LogSource;
import io.whence.source.SourceCatalog;
import io.whence.source.WritableLogSource;
import java.util.List;

/**
 * What the work of one call may use. Thread safety: immutable.
 *
 * @param rpc the name of the method
 * @param serverTimeMs the clock of the server when the request arrived, in epoch milliseconds
 * @param caller who makes the call
 * @param sources the sources
 * @param cancellation tells when the work should stop
 * @param limits what the call may ask for
 * @param listener is told about answers
 */
record CallScope(
    String rpc,
    long serverTimeMs,
    Caller caller,
    OpenSources sources,
    CallCancellation cancellation,
    CallLimits limits,
    CallListener listener) {

  /**
   * Returns whether the time of a piece of work is over, before its next unit.
   *
   * @throws WhenceException if the call itself is over
   */
  boolean isOver(TimeSlice slice) {
    if (!slice.isLookDue()) {
      return false;
    }
    cancellation.check();
    return slice.isOver();
  }

  /** Returns all sources, whether they answer now or not. */
  SourceCatalog catalog() {
    return sources.catalog();
  }

  /** Returns a source that answers now. */
  LogSource source(String name) {
    return ready(catalog().source(name));
  }

  /** Returns a source that can be written to now. */
  WritableLogSource writable(String name) {
    return ready(catalog().writable(name));
  }

  /** Returns what the groups of a source have committed. */
  GroupOffsets groupOffsets(LogSource source) {
    GroupOffsets groups = sources.groupOffsets().get(source.name());
    if (groups == null) {
      throw WhenceException.of(
          ErrorReason.UNSUPPORTED,
          "source: '" + source.name() + "' keeps no offsets of groups",
          "source",
          source.name());
    }
    return groups;
  }

  /** Returns what the operator should know of the offsets of groups of a source. */
  List<String> groupWarnings(LogSource source) {
    GroupOffsets groups = sources.groupOffsets().get(source.name());
    return groups == null ? List.of() : groups.warnings();
  }

  private <S extends LogSource> S ready(S source) {
    caller.trace().source(source.name());
    // One that follows others answers for each partition as soon as it can, and else says why not.
    if (!source.isReady() && !source.isFollower()) {
      throw WhenceException.of(
          ErrorReason.NOT_READY,
          "source '" + source.name() + "' is still loading",
          "source",
          source.name());
    }
    return source;
  }
}
