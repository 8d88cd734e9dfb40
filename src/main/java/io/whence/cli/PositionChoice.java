package io.whence.cli;

import io.whence.v1.EarliestPosition;
import io.whence.v1.LatestPosition;
import io.whence.v1.MaxTimestampPosition;
import io.whence.v1.Position;
import io.whence.v1.TimePoint;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The position asked for; the parser sees to it that exactly one is given. Single-writer. */
final class PositionChoice {
  @Option(
      names = "--at-or-after",
      paramLabel = "TIME",
      description = "The first record (lowest offset) at or after TIME.")
  private @Nullable String atOrAfter;

  @Option(
      names = "--at-or-before",
      paramLabel = "TIME",
      description = "The last record (highest offset) at or before TIME.")
  private @Nullable String atOrBefore;

  @Option(
      names = "--all-after",
      paramLabel = "TIME",
      description = "Where everything from there on is at or after TIME.")
  private @Nullable String allAfter;

  @Option(
      names = "--ago",
      paramLabel = "SPAN",
      description = "The first record at or after SPAN ago, such as 2h, 90m, 3d, PT2H.")
  private @Nullable String ago;

  @Option(names = "--earliest", description = "The log start offset.")
  private boolean earliest;

  @Option(names = "--latest", description = "The end of the log.")
  private boolean latest;

  @Option(names = "--max-timestamp", description = "The record with the largest timestamp.")
  private boolean maxTimestamp;

  private String note = "";

  /** Returns the position as it is sent. */
  Position position(TimeOptions options) {
    Position.Builder position = Position.newBuilder();
    if (atOrAfter != null) {
      position.setAtOrAfter(time("--at-or-after", atOrAfter, options));
    } else if (atOrBefore != null) {
      position.setAtOrBefore(time("--at-or-before", atOrBefore, options));
    } else if (allAfter != null) {
      position.setAllAfter(time("--all-after", allAfter, options));
    } else if (ago != null) {
      position.setAtOrAfter(span("--ago", ago));
    } else if (earliest) {
      position.setEarliest(EarliestPosition.getDefaultInstance());
    } else if (latest) {
      position.setLatest(LatestPosition.getDefaultInstance());
    } else if (maxTimestamp) {
      position.setMaxTimestamp(MaxTimestampPosition.getDefaultInstance());
    }
    return position.build();
  }

  /** Returns what was read, where that could surprise; otherwise empty. */
  String note() {
    return note;
  }

  private TimePoint time(String field, String text, TimeOptions options) {
    TimeText time = TimeText.parse(field, text, options);
    note = time.note();
    return time.point();
  }

  /**
   * Reads a span that was given for the option {@code field} as a time so long ago.
   *
   * @throws BadInputException if it isn't one
   */
  static TimePoint span(String field, String text) {
    return DurationText.parse(text)
        .map(TimeText::ago)
        .orElseThrow(
            () ->
                new BadInputException(
                    field,
                    field
                        + " '"
                        + text
                        + "' is no span of time; write for example 2h, 90m, 3d, PT2H"));
  }
}
