package io.whence.cli;

import java.time.Duration;
import java.util.List;

/**
 * Does something again and again: until interrupted, or so many times. A later round that fails for
 * a while doesn't end it. Immutable.
 *
 * @param interval how long to wait between two rounds
 * @param rounds how many rounds
 * @param pause how to wait
 */
record Watch(Duration interval, long rounds, Pause pause) {
  private static final String CLEAR = "\u001b[H\u001b[2J";

  /** How to wait. */
  interface Pause {
    /** Waits so long. */
    void await(Duration interval) throws InterruptedException;
  }

  /** One round: asks first, and prints only when there is an answer. */
  interface Round {
    /** Asks; returns what prints the answer and gives the exit code. */
    Answer ask();
  }

  /** An answer that has not been printed yet. */
  interface Answer {
    /** Prints it; returns the exit code. */
    int print();
  }

  /** Runs the rounds; returns the exit code of the last one. */
  int run(OutputOptions output, Round round) {
    int exitCode = ExitCode.ANSWERED;
    try {
      for (long i = 0; i < rounds; i++) {
        if (i > 0) {
          pause.await(interval);
        }
        exitCode = once(output, round, i == 0);
        if (output.out().checkError()) {
          break; // Nobody reads any more.
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return exitCode;
  }

  private static int once(OutputOptions output, Round round, boolean first) {
    Answer answer;
    try {
      answer = round.ask();
    } catch (CallFailedException e) {
      Failure failure = Failure.of(e);
      if (first || failure.exitCode() == ExitCode.REFUSED) {
        throw e;
      }
      List<String> lines = failure.lines(false);
      lines.forEach(output.err()::println);
      output.err().flush();
      return failure.exitCode();
    }
    if (output.terminal()) {
      output.out().print(CLEAR);
    }
    return answer.print();
  }
}
