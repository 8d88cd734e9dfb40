package io.whence.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Prints failures: as lines on standard error, or with {@code --format json} as the one document on
 * standard output. Immutable.
 */
final class FailureHandler implements IExecutionExceptionHandler, IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    Failure failure =
        e.getCause() instanceof BadInputException bad
            ? Failure.of(bad)
            : Failure.ofUsage(messageOf(e), command.getCommandSpec().qualifiedName());
    boolean json = Arrays.toString(args).matches("(?s).*--format(=|, )json\\b.*");
    return print(failure, command, json);
  }

  private static String messageOf(ParameterException e) {
    String message = String.valueOf(e.getMessage());
    if (e instanceof UnmatchedArgumentException unmatched) {
      String first = unmatched.getUnmatched().get(0);
      String what = unmatched.isUnknownOption() ? "unknown option" : "unknown command or argument";
      List<String> suggestions = unmatched.getSuggestions();
      return what
          + " '"
          + first
          + "'"
          + (suggestions.isEmpty() ? "" : "; did you mean " + suggestions.get(0) + "?");
    }
    return message;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult result) {
    if (e instanceof CallFailedException failed) {
      return print(Failure.of(failed), command, wantsJson(command));
    }
    if (e instanceof OutcomeUnknownException unknown) {
      return print(Failure.of(unknown), command, wantsJson(command));
    }
    if (e instanceof BadInputException bad) {
      return print(Failure.of(bad), command, wantsJson(command));
    }
    command.getErr().println("whence: a fault of the command line itself; please report it");
    e.printStackTrace(command.getErr());
    return ExitCode.SERVER_FAILED;
  }

  private static boolean wantsJson(CommandLine command) {
    return Optional.ofNullable(command.getCommandSpec().mixins().get("output"))
        .map(CommandSpec::userObject)
        .filter(OutputOptions.class::isInstance)
        .map(OutputOptions.class::cast)
        .filter(OutputOptions::json)
        .isPresent();
  }

  private static int print(Failure failure, CommandLine command, boolean json) {
    if (json) {
      command.getOut().println(OutputOptions.json(failure.document()));
    } else {
      failure.lines(false).forEach(command.getErr()::println);
    }
    return failure.exitCode();
  }
}
