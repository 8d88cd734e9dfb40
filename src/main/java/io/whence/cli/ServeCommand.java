package io.whence.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Stands in the list of commands for the server, which the launcher starts. Immutable. */
@Command(
    name = "serve",
    description = "Starts the server; 'whence serve --help' lists its options.",
    mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    throw new BadInputException("serve", "the server is started by the launcher: ./whence serve");
  }
}
