package io.whence.cli;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line as a whole: its commands, and what the exit codes mean. Immutable. */
@Command(
    name = "whence",
    synopsisSubcommandLabel = "COMMAND",
    description = "At which offset does a moment begin? Exact answers for logs in Kafka's format.",
    mixinStandardHelpOptions = true,
    version = "whence 0.1.0-SNAPSHOT",
    subcommands = {
      TopicsCommand.class,
      DescribeCommand.class,
      ResolveCommand.class,
      WindowCommand.class,
      OffsetTimeCommand.class,
      WatchCommand.class,
      CreateCommand.class,
      AppendCommand.class,
      ReadCommand.class,
      TrimCommand.class,
      DeleteCommand.class,
      CommitCommand.class,
      OffsetsCommand.class,
      GroupsCommand.class,
      LagCommand.class,
      ResetCommand.class,
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
      "{\"error\": ...} when the call failed as a whole. 'watch' prints one for each event."
    })
public final class Whence implements Runnable {
  /** Held, or its level would be lost; what gRPC has to say comes as the failure of a call. */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  @Spec private @Nullable CommandSpec spec;

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    runAndExit(new Whence(), args);
  }

  /** Runs a command, or one of its subcommands, on the standard streams; exits with its code. */
  public static void runAndExit(Object command, String[] args) {
    System.exit(run(command, args, utf8(System.out), utf8(System.err)));
  }

  /** Runs one command; returns its exit code. */
  static int run(String[] args, PrintWriter out, PrintWriter err) {
    return run(new Whence(), args, out, err);
  }

  @Override
  public void run() {
    if (spec != null) {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }

  @Command(
      name = "demo",
      description = "Starts a server, fills a topic, and asks it and a real Kafka data directory.",
      mixinStandardHelpOptions = true)
  int demo() {
    throw startedByLauncher("demo");
  }

  @Command(
      name = "serve",
      description = "Starts the server; 'whence serve --help' lists its options.",
      mixinStandardHelpOptions = true)
  int serve() {
    throw startedByLauncher("serve");
  }

  private static BadInputException startedByLauncher(String command) {
    return new BadInputException(
        command, "the launcher starts this by other means: ./whence " + command);
  }

  private static int run(Object command, String[] args, PrintWriter out, PrintWriter err) {
    GRPC_LOG.setLevel(Level.OFF);
    FailureHandler failures = new FailureHandler();
    int exitCode =
        new CommandLine(command)
            .setOut(out)
            .setErr(err)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpLongOptionsMaxWidth(26)
            .setUsageHelpWidth(100)
            .setExecutionExceptionHandler(failures)
            .setParameterExceptionHandler(failures)
            .execute(args);
    err.flush();
    // An export that is cut off must not look like one that is whole.
    return out.checkError() && exitCode == ExitCode.ANSWERED ? ExitCode.SOME_FAILED : exitCode;
  }

  /** Whatever the locale: tables have characters that ASCII doesn't. */
  private static PrintWriter utf8(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
  }
}
