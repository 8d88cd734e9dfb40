package io.whence.cli;

import picocli.CommandLine.Option;

/** The option of commands that only show times. Single-writer: filled once by the parser. */
final class ZoneOption {
  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "IANA time zone of the times shown. Default: UTC.")
  private String zone = "";

  /**
   * Returns how times are shown.
   *
   * @throws BadInputException if there is no such zone
   */
  TimeDisplay display() {
    return TimeOptions.inZone(zone).display();
  }
}
