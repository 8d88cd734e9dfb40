package io.whence.cli;

import io.whence.v1.CommitEntry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The options that say when a commit is refused, and what goes with it. Single-writer. */
final class CommitGuards {
  /** What must be committed now. Single-writer. */
  static final class Expectation {
    @Option(
        names = "--expect",
        paramLabel = "OFFSET",
        description = "Commits only if this is what is committed now.")
    private @Nullable Long offset;

    @Option(names = "--expect-none", description = "Commits only if nothing is committed now.")
    private boolean none;
  }

  @ArgGroup(exclusive = true, multiplicity = "0..1")
  private Expectation expectation = new Expectation();

  @Option(
      names = "--allow-rewind",
      description = "Allows a lower offset than the one that is committed.")
  private boolean allowRewind;

  @Option(
      names = "--allow-out-of-range",
      description = "Allows an offset that lies outside the log.")
  private boolean allowOutOfRange;

  @Option(
      names = "--topic-id",
      paramLabel = "ID",
      description = "Commits only if the topic has this id.")
  private String topicId = "";

  @Option(
      names = "--writer-epoch",
      paramLabel = "N",
      description = "Is refused once a writer with a higher epoch has committed.")
  private @Nullable Long writerEpoch;

  @Option(
      names = "--leader-epoch",
      paramLabel = "N",
      description = "The leader epoch of the last record that was read.")
  private @Nullable Integer leaderEpoch;

  @Option(
      names = "--metadata",
      paramLabel = "TEXT",
      description = "Text that is kept with the offset.")
  private String metadata = "";

  /** Puts the guards on an entry. */
  CommitEntry guard(CommitEntry.Builder entry) {
    if (expectation.offset != null) {
      entry.setExpectedOffset(expectation.offset);
    }
    if (writerEpoch != null) {
      entry.setWriterEpoch(writerEpoch);
    }
    if (leaderEpoch != null) {
      entry.setLeaderEpoch(leaderEpoch);
    }
    return entry
        .setExpectNoOffset(expectation.none)
        .setTopicId(topicId)
        .setMetadata(metadata)
        .setAllowRewind(allowRewind)
        .setAllowOutOfRange(allowOutOfRange)
        .build();
  }
}
