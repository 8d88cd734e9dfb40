package io.whence.cli;

import io.whence.v1.ResetTarget;
import io.whence.v1.ResetToCurrent;
import io.whence.v1.ResetToEarliest;
import io.whence.v1.ResetToLatest;
import io.whence.v1.ResetToMaxTimestamp;
import io.whence.v1.ResetToSourceGroup;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where a reset leads; the parser sees to it that exactly one is given. Single-writer. */
final class ResetTargetChoice {
  @Option(
      names = "--to-time",
      paramLabel = "TIME",
      description = "The first record (lowest offset) at or after TIME.")
  private @Nullable String time;

  @Option(
      names = "--by-duration",
      paramLabel = "SPAN",
      description = "The first record at or after SPAN ago, such as 2h, 90m, 3d, PT2H.")
  private @Nullable String duration;

  @Option(names = "--to-earliest", description = "The log start offset.")
  private boolean earliest;

  @Option(names = "--to-latest", description = "The end of the log.")
  private boolean latest;

  @Option(names = "--to-max-timestamp", description = "The record with the largest timestamp.")
  private boolean maxTimestamp;

  @Option(names = "--to-offset", paramLabel = "N", description = "This offset.")
  private @Nullable Long offset;

  @Option(
      names = "--shift-by",
      paramLabel = "N",
      description = "So many offsets after the committed one; before it if negative.")
  private @Nullable Long shift;

  @Option(
      names = "--to-current",
      description = "What is committed: shows it, and which partitions have nothing.")
  private boolean current;

  @Option(
      names = "--to-group",
      paramLabel = "GROUP",
      description = "What another group has committed.")
  private @Nullable String group;

  @Option(
      names = "--from-file",
      paramLabel = "FILE",
      description =
          "Offsets as kafka-consumer-groups --export prints them: lines of topic,partition,offset"
              + " or of group,topic,partition,offset.")
  private @Nullable String file;

  @ArgGroup(exclusive = false)
  private @Nullable SourceGroup sourceGroup;

  private String note = "";

  /** Where a group of another source stands. Single-writer. */
  static final class SourceGroup {
    @Option(
        names = "--from-source",
        required = true,
        paramLabel = "NAME",
        description =
            "Where the group stands in another source that has the same records, by their times:"
                + " what it has not read there comes again here, rather than being skipped.")
    private String source = "";

    @Option(
        names = "--from-group",
        paramLabel = "GROUP",
        description = "Its name there. Default: the same.")
    private String group = "";
  }

  /** Returns the file to read offsets from; empty for another target. */
  Optional<String> file() {
    return Optional.ofNullable(file);
  }

  /** Returns what was read, where that could surprise; otherwise empty. */
  String note() {
    return note;
  }

  /** Returns a target other than a file as it is sent. */
  ResetTarget target(TimeOptions options) {
    ResetTarget.Builder target = ResetTarget.newBuilder();
    if (time != null) {
      TimeText text = TimeText.parse("--to-time", time, options);
      note = text.note();
      target.setAtOrAfter(text.point());
    } else if (duration != null) {
      target.setAtOrAfter(PositionChoice.span("--by-duration", duration));
    } else if (earliest) {
      target.setEarliest(ResetToEarliest.getDefaultInstance());
    } else if (latest) {
      target.setLatest(ResetToLatest.getDefaultInstance());
    } else if (maxTimestamp) {
      target.setMaxTimestamp(ResetToMaxTimestamp.getDefaultInstance());
    } else if (offset != null) {
      target.setOffset(offset);
    } else if (shift != null) {
      target.setShiftBy(shift);
    } else if (current) {
      target.setCurrent(ResetToCurrent.getDefaultInstance());
    } else if (group != null) {
      target.setGroup(group);
    } else if (sourceGroup != null) {
      target.setSourceGroup(
          ResetToSourceGroup.newBuilder()
              .setSource(sourceGroup.source)
              .setGroup(sourceGroup.group));
    }
    return target.build();
  }

  /** Returns the target in words. */
  String words() {
    if (time != null || duration != null) {
      return "at or after";
    }
    if (offset != null) {
      return "offset " + offset;
    }
    if (shift != null) {
      return "shift by " + shift;
    }
    if (group != null) {
      return "the offsets of group " + group;
    }
    if (file != null) {
      return "the offsets of " + file;
    }
    if (sourceGroup != null) {
      return "where "
          + (sourceGroup.group.isEmpty() ? "the group" : "group " + sourceGroup.group)
          + " stands in source "
          + sourceGroup.source;
    }
    return earliest ? "earliest" : latest ? "latest" : maxTimestamp ? "max timestamp" : "current";
  }
}
