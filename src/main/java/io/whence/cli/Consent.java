package io.whence.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
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
    if (!Boolean.getBoolean("whence.asks")) {
      throw new BadInputException(
          "--yes", printable + "; nothing was done: add --yes, as there is no terminal to ask at");
    }
    output.err().print(printable + ". Go on? [y/N] ");
    output.err().flush();
    if (!WORDS.contains(answer())) {
      throw new BadInputException("--yes", "nothing was done");
    }
  }

  private static String answer() {
    try {
      BufferedReader console =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      String line = console.readLine();
      return line == null ? "" : line.strip().toLowerCase(Locale.ROOT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
