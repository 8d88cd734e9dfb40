package io.whence.example;

import io.whence.v1.WatchTimestampResponse;
import java.io.PrintStream;
import java.util.HashSet;
import java.util.Set;

/**
 * What a watch has told so far. Asked again, the server tells of all partitions again: those that
 * were told of are left out. For one thread.
 */
final class Watched {
  private final PrintStream out;
  private final Set<String> told = new HashSet<>();
  private boolean good = true;

  Watched(PrintStream out) {
    this.out = out;
  }

  /** Prints what an event tells, if it is new. */
  void add(WatchTimestampResponse event) {
    switch (event.getEventCase()) {
      case STARTED -> {
        var started = event.getStarted();
        int count = started.getPartitionCount();
        tell("", "watching %d partitions for %d ms", count, started.getTargetTimestampMs(0));
      }
      case PARTITION -> {
        var answer = event.getPartition().getAnswer();
        String name = event.getPartition().getTopic() + "-" + answer.getPartition();
        boolean reached = !answer.hasError();
        String what = reached ? "reached at " + answer.getOffset() : Jobs.failed(answer.getError());
        tell(name, "%s %s", name, what);
      }
      case DONE -> {
        var done = event.getDone();
        good = done.getFailedCount() == 0;
        tell("done", "done: %d reached, %d failed", done.getReachedCount(), done.getFailedCount());
      }
      default -> {}
    }
  }

  /** Whether no partition failed. */
  boolean good() {
    return good;
  }

  private void tell(String what, String format, Object... args) {
    if (told.add(what)) {
      out.println(format.formatted(args));
    }
  }
}
