package io.whence.commit;

import io.whence.model.ErrorReason;
import io.whence.model.LogBounds;
import io.whence.model.WhenceException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The guards of a commit: what must be so before it is made. The first one that is not so refuses
 * it. Thread safety: immutable.
 */
final class CommitGuards {
  private CommitGuards() {}

  /** Returns why a commit is refused; null if it may be made. */
  static @Nullable WhenceException refusal(
      CommitEntry entry, EntryFacts facts, Optional<CommittedOffset> stored) {
    WhenceException known = facts.refusal();
    if (known != null) {
      return known;
    }
    boolean stale = stored.isPresent() && stored.get().isStaleFor(Optional.ofNullable(facts.id()));
    if (stale && entry.topicId() == null) {
      return EntryChecks.stale(
          entry.partition(), facts.id(), "is not the one that the stored offset is of");
    }
    // An offset of a topic that is gone says nothing about the one that has its name now.
    Optional<CommittedOffset> current = stale ? Optional.empty() : stored;
    WhenceException refusal = fenced(entry, current);
    if (refusal == null) {
      refusal = conflict(entry, current);
    }
    if (refusal == null) {
      refusal = outOfRange(entry, facts.bounds());
    }
    return refusal == null ? regression(entry, current) : refusal;
  }

  private static @Nullable WhenceException fenced(
      CommitEntry entry, Optional<CommittedOffset> current) {
    if (current.isEmpty() || current.get().writerEpoch().isEmpty() || isReset(entry)) {
      return null;
    }
    long fence = current.get().fence();
    if (entry.writerEpoch() >= fence) {
      return null;
    }
    String given = entry.writerEpoch() < 0 ? "not given" : Long.toString(entry.writerEpoch());
    return WhenceException.of(
        ErrorReason.FENCED,
        "writer_epoch: "
            + given
            + ", but a writer with epoch "
            + fence
            + " has committed; only that one or a later one may go on",
        "topic",
        entry.partition().topic(),
        "partition",
        entry.partition().partition(),
        "writer_epoch",
        fence);
  }

  /** A reset pins what it replaces, so it can't overtake anybody unseen. */
  private static boolean isReset(CommitEntry entry) {
    return entry.expected() instanceof Expected.Change;
  }

  private static @Nullable WhenceException conflict(
      CommitEntry entry, Optional<CommittedOffset> current) {
    Expected expected = entry.expected();
    if (expected instanceof Expected.Anything) {
      return null;
    }
    if (expected instanceof Expected.Nothing) {
      return current.isEmpty() ? null : conflict(entry, "nothing", current);
    }
    if (expected instanceof Expected.Offset offset) {
      boolean met = current.isPresent() && current.get().nextOffset() == offset.offset();
      return met ? null : conflict(entry, Long.toString(offset.offset()), current);
    }
    CommittedOffset change = ((Expected.Change) expected).committed();
    boolean met = current.isPresent() && current.get().isSameChange(change);
    return met ? null : conflict(entry, "the unchanged offset " + change.nextOffset(), current);
  }

  private static WhenceException conflict(
      CommitEntry entry, String expected, Optional<CommittedOffset> current) {
    String message =
        "expected_offset: expected "
            + expected
            + ", but "
            + current.map(c -> c.nextOffset() + " is committed").orElse("nothing is committed");
    String topic = entry.partition().topic();
    int partition = entry.partition().partition();
    return current.isPresent()
        ? WhenceException.of(
            ErrorReason.CONFLICT,
            message,
            "topic",
            topic,
            "partition",
            partition,
            "committed_offset",
            current.get().nextOffset())
        : WhenceException.of(ErrorReason.CONFLICT, message, "topic", topic, "partition", partition);
  }

  private static @Nullable WhenceException outOfRange(CommitEntry entry, LogBounds bounds) {
    long offset = entry.nextOffset();
    boolean inside = bounds.logStartOffset() <= offset && offset <= bounds.endOffset();
    if (inside || entry.allowOutOfRange()) {
      return null;
    }
    return WhenceException.of(
        ErrorReason.OFFSET_OUT_OF_RANGE,
        "next_offset: "
            + offset
            + (offset < bounds.logStartOffset()
                ? " is below the log start " + bounds.logStartOffset()
                : " is above the end " + bounds.endOffset())
            + "; set allow_out_of_range to commit it all the same",
        "offset",
        offset,
        "log_start_offset",
        bounds.logStartOffset(),
        "end_offset",
        bounds.endOffset());
  }

  private static @Nullable WhenceException regression(
      CommitEntry entry, Optional<CommittedOffset> current) {
    if (entry.allowRewind()
        || current.isEmpty()
        || entry.nextOffset() >= current.get().nextOffset()) {
      return null;
    }
    return WhenceException.of(
        ErrorReason.REGRESSION,
        "next_offset: "
            + entry.nextOffset()
            + " is lower than "
            + current.get().nextOffset()
            + ", which is committed; set allow_rewind to go back",
        "topic",
        entry.partition().topic(),
        "partition",
        entry.partition().partition(),
        "offset",
        entry.nextOffset(),
        "committed_offset",
        current.get().nextOffset());
  }
}
