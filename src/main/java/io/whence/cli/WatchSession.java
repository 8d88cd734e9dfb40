package io.whence.cli;

import io.whence.v1.Outcome;
import io.whence.v1.TimePoint;
import io.whence.v1.TimestampAnswer;
import io.whence.v1.WatchDone;
import io.whence.v1.WatchProgress;
import io.whence.v1.WatchStarted;
import io.whence.v1.WatchTimestampRequest;
import io.whence.v1.WatchTimestampResponse;
import io.whence.v1.WatchedPartition;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * What has been told of one watch, over any number of connections: each partition is printed once.
 * Single-writer.
 */
final class WatchSession {
  private final OutputOptions output;
  private final TimeDisplay times;
  private final String isolation;
  private final Set<Told> told = new HashSet<>();
  private final Tally tally = new Tally();
  private WatchTimestampRequest request;
  private int partitionCount;
  private boolean begun;

  /** Makes a session of a request that has not been sent. */
  WatchSession(
      WatchTimestampRequest request, OutputOptions output, TimeDisplay times, String isolation) {
    this.request = request;
    this.output = output;
    this.times = times;
    this.isolation = isolation;
  }

  /** Returns what to ask for: once it has begun, with the moments as they were read then. */
  WatchTimestampRequest request() {
    return request;
  }

  boolean hasBegun() {
    return begun;
  }

  long toldCount() {
    return told.size();
  }

  /** Takes an event; returns whether somebody still reads what is printed. */
  boolean take(WatchTimestampResponse event) {
    switch (event.getEventCase()) {
      case STARTED -> started(event);
      case PARTITION -> partition(event);
      case PROGRESS -> progress(event);
      case DONE -> done(event);
      case EVENT_NOT_SET -> {} // Of a newer server.
    }
    return !output.out().checkError();
  }

  private void started(WatchTimestampResponse event) {
    WatchStarted started = event.getStarted();
    partitionCount = started.getPartitionCount();
    if (begun) {
      return;
    }
    begun = true;
    fixMoments(started);
    if (output.json()) {
      output.documentLine(event);
      return;
    }
    Set<String> moments = new TreeSet<>();
    started.getTargetTimestampMsList().forEach(ms -> moments.add(times.moment(ms)));
    output.line("watching " + String.join(", ", moments), Ink.BOLD);
    output.line(
        "  source "
            + DisplayText.printable(started.getSource())
            + ", "
            + isolation
            + ", "
            + partitionCount
            + " partitions",
        Ink.DIM);
  }

  /** So that a span before the server's clock means the same moment on the next connection. */
  private void fixMoments(WatchStarted started) {
    WatchTimestampRequest.Builder fixed = request.toBuilder().setAllowUnusualTime(true);
    for (int i = 0; i < started.getTargetTimestampMsCount() && i < fixed.getQueriesCount(); i++) {
      fixed
          .getQueriesBuilder(i)
          .setTime(TimePoint.newBuilder().setEpochMs(started.getTargetTimestampMs(i)));
    }
    request = fixed.build();
  }

  private void partition(WatchTimestampResponse event) {
    WatchedPartition partition = event.getPartition();
    TimestampAnswer answer = partition.getAnswer();
    if (!told.add(new Told(partition.getQueryIndex(), answer.getPartition()))) {
      return;
    }
    tally.add(answer.getOutcome());
    String where = partition.getTopic() + " partition " + answer.getPartition();
    if (answer.hasError()) {
      tally.failed(where, answer.getError());
    }
    if (output.json()) {
      output.documentLine(event);
    } else if (answer.getOutcome() == Outcome.OUTCOME_FOUND) {
      output.line(
          times.text(event.getServerTimeMs())
              + "  "
              + DisplayText.printable(where)
              + ": offset "
              + answer.getOffset()
              + record(answer));
    } else {
      output.line(
          times.text(event.getServerTimeMs()) + "  " + DisplayText.printable(where) + ": failed",
          Ink.RED);
    }
  }

  private String record(TimestampAnswer answer) {
    if (!answer.getRecord().hasTimestampMs()) {
      return "";
    }
    return ", record time "
        + times.text(answer.getRecord().getTimestampMs())
        + " ("
        + TimeDisplay.distance(answer.getDistanceMs())
        + ")"
        + (answer.getFutureTimestamp() ? ", future" : "")
        + (answer.getStartCut() ? ", start cut" : "");
  }

  private void progress(WatchTimestampResponse event) {
    WatchProgress progress = event.getProgress();
    if (output.json()) {
      output.documentLine(event);
    } else {
      output.line(
          times.text(event.getServerTimeMs())
              + "  "
              + progress.getReachedCount()
              + " reached, "
              + progress.getWaitingCount()
              + " waiting, "
              + progress.getFailedCount()
              + " failed",
          Ink.DIM);
    }
  }

  private void done(WatchTimestampResponse event) {
    if (output.json()) {
      WatchDone own =
          WatchDone.newBuilder()
              .setReachedCount(tally.found())
              .setFailedCount(tally.answers() - tally.found())
              .build();
      output.documentLine(event.toBuilder().setDone(own).build());
    } else {
      output.line(tally.found() + " of " + partitionCount + " partitions reached", Ink.BOLD);
      tally.printFailures(output);
    }
  }

  /** Says that the connection is away, and that it is made anew. */
  void lost(CallFailedException failure) {
    Failure.of(failure).lines(false).forEach(output.err()::println);
    output.err().println("whence: still watching; trying again every second");
    output.err().flush();
  }

  /** Says what is missing when time is up; returns the exit code. */
  int giveUp() {
    output
        .err()
        .println(
            "whence: gave up; "
                + (partitionCount - tally.answers())
                + " of "
                + partitionCount
                + " partitions were not reached");
    return tally.found() > 0 ? ExitCode.SOME_FAILED : ExitCode.NOTHING_FOUND;
  }

  /** Returns the exit code for all that was told. */
  int exitCode() {
    return tally.exitCode();
  }

  /** Which partition of which query. */
  private record Told(int queryIndex, int partition) {}
}
