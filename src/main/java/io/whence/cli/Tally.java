package io.whence.cli;

import io.whence.v1.Outcome;
import io.whence.v1.PartitionError;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Counts outcomes, keeps failures, and says which exit code follows. Single-writer. */
public final class Tally {
  private int answers;
  private int found;
  private final List<String> failures = new ArrayList<>();

  /** Counts one answer. */
  public void add(Outcome outcome) {
    answers++;
    if (outcome == Outcome.OUTCOME_FOUND) {
      found++;
    }
  }

  /** Keeps one failure, of the partition, group or query that {@code where} names. */
  public void failed(String where, PartitionError error) {
    failures.add(DisplayText.printable(where) + ": " + sentence(error));
  }

  /** Returns how many answers there are. */
  public int answers() {
    return answers;
  }

  /** Returns how many of them found something. */
  public int found() {
    return found;
  }

  /** Prints the failures where they don't mix with what is printed, one to a line. */
  void printFailures(PrintWriter err) {
    failures.forEach(failure -> err.println("  " + failure));
  }

  /** Returns whether anything failed. */
  public boolean hasFailures() {
    return !failures.isEmpty();
  }

  /** Prints the failures, one to a line. */
  public void printFailures(OutputOptions output) {
    failures.forEach(failure -> output.line("  " + failure, Ink.RED));
  }

  /** Returns the exit code for all that was counted. */
  public int exitCode() {
    if (!failures.isEmpty()) {
      return ExitCode.SOME_FAILED;
    }
    return found == 0 ? ExitCode.NOTHING_FOUND : ExitCode.ANSWERED;
  }

  /** Returns the exit code of a command that changes or shows things: 1 if anything failed. */
  public int exitCodeOfDoing() {
    return failures.isEmpty() ? ExitCode.ANSWERED : ExitCode.SOME_FAILED;
  }

  private static String sentence(PartitionError error) {
    String reason = error.getReason().name().replaceFirst("^ERROR_REASON_", "");
    return DisplayText.printable(error.getMessage())
        + " ("
        + reason
        + (error.getRetriable() ? "; the same may succeed later)" : ")");
  }
}
