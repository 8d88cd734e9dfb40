package io.whence.app;

import io.whence.commit.LagFindings;
import io.whence.commit.LagSurvey;
import io.whence.model.Cancellation;
import io.whence.model.ErrorReason;
import io.whence.model.FailureText;
import io.whence.model.WhenceException;
import io.whence.ops.LagBoard;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Looks at the lags of the groups of one source from time to time, on a thread of its own. Thread
 * safety: single-writer.
 */
final class LagLooks implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger("io.whence.lag");
  private static final int PATIENCE_SECONDS = 5;

  private final String source;
  private final LagSurvey survey;
  private final LagBoard board;
  private final ScheduledExecutorService scheduler;
  private volatile boolean closing;

  /** What is wrong, as last logged. */
  private String problem = "";

  private LagLooks(String source, LagSurvey survey, LagBoard board) {
    this.source = source;
    this.survey = survey;
    this.board = board;
    scheduler = new PeriodicThread(new NamedThreads("whence-lag-" + source));
  }

  /**
   * Starts; the first look comes after one interval.
   *
   * @param board is closed with this
   * @param interval from the end of one look to the next
   */
  static LagLooks start(String source, LagSurvey survey, LagBoard board, Duration interval) {
    LagLooks looks = new LagLooks(source, survey, board);
    ScheduledFuture<?> unused =
        looks.scheduler.scheduleWithFixedDelay(
            looks::look, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
    return looks;
  }

  /** Whatever fails is tried again after the interval. */
  private void look() {
    Cancellation cancellation =
        () -> {
          if (closing) {
            throw WhenceException.of(ErrorReason.DRAINING, "the server stops");
          }
        };
    long startNanos = System.nanoTime();
    try {
      LagFindings findings = survey.look(cancellation);
      board.show(findings, System.nanoTime() - startNanos);
      tell(findings.problem());
    } catch (RuntimeException e) {
      if (!closing) {
        board.failed();
        tell(FailureText.of(e));
        LOG.debug("lags of groups not told", e);
      }
    }
  }

  private void tell(String now) {
    if (now.isEmpty() && !problem.isEmpty()) {
      LOG.infof("lags of groups are told again: source=%s", source);
    } else if (!now.equals(problem)) {
      LOG.warnf("lags of groups not told, or not all of them: source=%s: %s", source, now);
    }
    problem = now;
  }

  /** Begins no more looks, and lets the one at work end as soon as it can. */
  void stop() {
    closing = true;
    scheduler.shutdown();
  }

  /**
   * Stops, and waits for the look at work. Doesn't interrupt it, which would close the files that
   * it reads.
   */
  @Override
  public void close() {
    stop();
    try {
      if (!scheduler.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warnf("the look at lags doesn't end: source=%s", source);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    board.close();
  }
}
