package io.whence.cli;

import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Set;

/**
 * Applies plans. A call that ends without saying what became of it is made again: a plan moves
 * nothing twice, and gives its result as long as the server keeps it. Immutable.
 *
 * @param client the server
 * @param pause how to wait before another try
 */
record PlanApplication(Client client, Watch.Pause pause) {
  private static final int MAX_CALLS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);

  /** What the server, or the way to it, ends a call with that it may have carried out. */
  private static final Set<String> OPEN_STATUSES =
      Set.of("DEADLINE_EXCEEDED", "UNAVAILABLE", "CANCELLED", "UNKNOWN", "INTERNAL");

  private static final Set<String> OPEN_REASONS = Set.of("", "DEADLINE_EXCEEDED", "INTERNAL");

  /** Reasons that tell of one call only, not of those before it. */
  private static final Set<String> SILENT_REASONS =
      Set.of(
          "",
          "DEADLINE_EXCEEDED",
          "INTERNAL",
          "LEADER_UNAVAILABLE",
          "NOT_READY",
          "DRAINING",
          "OVERLOADED");

  /** A plan that is no longer known may have been applied before. */
  private static final String GONE = "UNKNOWN_PLAN";

  /**
   * Applies a plan.
   *
   * @throws CallFailedException if nothing was done
   * @throws OutcomeUnknownException if it may have been done
   */
  ApplyResetResponse apply(String group, ApplyResetRequest request) {
    boolean open = false;
    Duration wait = FIRST_PAUSE;
    for (int call = 1; ; call++) {
      try {
        return client.groups(groups -> groups.applyReset(request));
      } catch (CallFailedException e) {
        Failure failure = Failure.of(e);
        open |= isOpen(e, failure);
        boolean gone = failure.reason().equals(GONE);
        if (!open || (!gone && !SILENT_REASONS.contains(failure.reason()))) {
          throw e;
        }
        if (gone || call == MAX_CALLS || !waited(wait)) {
          throw new OutcomeUnknownException(e, advice(group, request.getSource()));
        }
        wait = wait.multipliedBy(2);
      }
    }
  }

  /** Returns whether a failed call may have been carried out. */
  private static boolean isOpen(CallFailedException e, Failure failure) {
    boolean isSent = !(e.failure().getStatus().getCause() instanceof ConnectException);
    return isSent
        && OPEN_STATUSES.contains(failure.status())
        && (OPEN_REASONS.contains(failure.reason())
            || "unknown".equals(failure.facts().get("outcome")));
  }

  private boolean waited(Duration wait) {
    try {
      pause.await(wait);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String advice(String group, String source) {
    return "the reset of group '"
        + group
        + "' may have been applied; look with ./whence offsets "
        + word(group)
        + (source.isEmpty() ? "" : " --source " + word(source))
        + " --history 3";
  }

  /** Returns text as a shell takes it as one word. */
  private static String word(String text) {
    return text.matches("[\\w.:@%+=/][\\w.:@%+=/-]*")
        ? text
        : "'" + text.replace("'", "'\\''") + "'";
  }
}
