package io.whence.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line as a whole: its commands, and what the exit codes mean. Immutable. */
@Command(
    name = "whence",
    synopsisSubcommandLabel = "COMMAND",
    description = "At which offset does a moment begin? Exact answers for logs in Kafka's format.",
    mixinStandardHelpOptions = true,
    version = "whence 0.1.0-SNAPSHOT",
    subcommands = {
      DemoCommand.class,
      ServeCommand.class,
      TopicsCommand.class,
      DescribeCommand.class,
      ResolveCommand.class,
      WindowCommand.class,
      OffsetTimeCommand.class,
      CreateCommand.class,
      AppendCommand.class,
      ReadCommand.class,
      TrimCommand.class,
      DeleteCommand.class,
      WarmUpCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:answered or done",
      "1:some partition or query failed; the answers of the others are printed",
      "2:wrong command line or request; the same again fails again",
      "3:no server could be reached",
      "4:answered, and nothing was found in any partition",
      "5:the server failed, was overloaded or ran out of time; the same may succeed later",
      "6:could not start: no Java 17 or newer, no Maven, or the build failed"
    },
    footer = {
      "",
      "With --format json there is exactly one document on standard output: the response, or",
      "{\"error\": ...} when the call failed as a whole."
    })
final class Whence implements Runnable {
  @CommandLine.Spec private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    PrintWriter out = writer(FileDescriptor.out);
    PrintWriter err = writer(FileDescriptor.err);
    int exitCode = run(args, out, err);
    out.flush();
    err.flush();
    System.exit(exitCode);
  }

  /** Runs one command; returns its exit code. */
  static int run(String[] args, PrintWriter out, PrintWriter err) {
    FailureHandler failures = new FailureHandler();
    int exitCode =
        new CommandLine(new Whence())
            .setOut(out)
            .setErr(err)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpLongOptionsMaxWidth(26)
            .setUsageHelpWidth(100)
            .setExecutionExceptionHandler(failures)
            .setParameterExceptionHandler(failures)
            .execute(args);
    out.flush();
    err.flush();
    return exitCode;
  }

  @Override
  public void run() {
    if (spec != null) {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }

  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
  }
}
