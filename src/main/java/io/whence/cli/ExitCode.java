package io.whence.cli;

/** What the exit codes of the command line mean; {@code whence --help} lists them. Immutable. */
public final class ExitCode {
  /** Answered: what was asked for was found or done. */
  public static final int ANSWERED = 0;

  /**
   * At least one partition or query failed; the answers of the others are printed. Or standard
   * output didn't take all that there was to print.
   */
  public static final int SOME_FAILED = 1;

  /** The command line or the request is wrong: trying the same again fails again. */
  public static final int REFUSED = 2;

  /** No server could be reached. */
  public static final int UNREACHABLE = 3;

  /** Every partition was answered, and none has what was asked for. */
  public static final int NOTHING_FOUND = 4;

  /** The server could not answer: overload, deadline, draining, or a fault of its own. */
  public static final int SERVER_FAILED = 5;

  /** The launcher could not start: no Java, no Maven, or the build failed. Used by the launcher. */
  public static final int NOT_STARTED = 6;

  private ExitCode() {}
}
