package io.whence.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Option;

/**
 * The consent to a command that destroys data: given as an option, or at a terminal when asked.
 * Single-writer.
 */
final class Consent {
  private static final Set<String> WORDS = Set.of("y", "yes");

  @Option(
      names = {"-y", "--yes"},
      description = "Doesn't ask before it destroys data. Needed where there is no terminal.")
  private boolean given;

  /**
   * Asks on standard error unless consent was given, so that standard output stays a document.
   *
   * @param effect what is destroyed, such as "this removes ..."
   * @throws BadInputException if there is none; nothing may be done then
   */
  void require(String effect, OutputOptions output) {
    if (given) {
      return;
    }
    String printable = DisplayText.printable(effect);
    if (!canAsk()) {
      throw new BadInputException(
          "--yes", printable + "; nothing was done: add --yes, as there is no terminal to ask at");
    }
    if (!isGranted(effect + ". Go on?", output)) {
      throw new BadInputException("--yes", "nothing was done");
    }
  }

  /** Returns whether there is a terminal to ask at. */
  static boolean canAsk() {
    return Boolean.getBoolean("whence.asks");
  }

  /** Asks a question on standard error, and returns whether the answer is yes. */
  static boolean isGranted(String question, OutputOptions output) {
    output.err().print(DisplayText.printable(question) + " [y/N] ");
    output.err().flush();
    return WORDS.contains(answer());
  }

  /** Reads one line and no further: the next one answers the next question. */
  private static String answer() {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      for (int b = System.in.read(); b >= 0 && b != '\n'; b = System.in.read()) {
        line.write(b);
      }
      return line.toString(StandardCharsets.UTF_8).strip().toLowerCase(Locale.ROOT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
