package io.whence.cli;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Where and how a command prints. With JSON there is exactly one document on standard output,
 * whatever happens. Single-writer.
 */
public final class OutputOptions {
  enum Format {
    table,
    json
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description =
          "${COMPLETION-CANDIDATES}. json: the response as one document, 64-bit numbers as strings.")
  private Format format = Format.table;

  @Option(
      names = "--no-color",
      description = "Never colours (as does NO_COLOR in the environment).")
  private boolean noColour;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  /** Returns whether to print one JSON document. */
  public boolean json() {
    return format == Format.json;
  }

  /** Returns standard output. */
  public PrintWriter out() {
    return commandSpec().commandLine().getOut();
  }

  /** Returns standard error. */
  public PrintWriter err() {
    return commandSpec().commandLine().getErr();
  }

  /** Returns whether standard output is a terminal. */
  public boolean terminal() {
    return Boolean.getBoolean("whence.terminal");
  }

  /** Returns whether to colour: only on a terminal, and only if nobody objects. */
  public boolean colour() {
    return !noColour && terminal() && System.getenv("NO_COLOR") == null;
  }

  /** Prints a line with an ink. */
  public void line(String text, Ink ink) {
    out().println(ink.paint(text, colour()));
  }

  /** Prints a line. */
  public void line(String text) {
    out().println(text);
  }

  /** Prints a table. */
  public void table(TextTable table) {
    table.lines(colour()).forEach(out()::println);
  }

  /** Prints a message as one JSON document: default values shown, unset fields left out. */
  public void document(MessageOrBuilder message) {
    out().println(json(message));
  }

  /** Prints a message as one JSON document on one line, of several. */
  void documentLine(MessageOrBuilder message) {
    try {
      out()
          .println(
              JsonFormat.printer()
                  .alwaysPrintFieldsWithNoPresence()
                  .omittingInsignificantWhitespace()
                  .print(message));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("an event that can't be printed", e);
    }
  }

  /** Returns a message as one JSON document. */
  public static String json(MessageOrBuilder message) {
    try {
      return JsonFormat.printer().alwaysPrintFieldsWithNoPresence().print(message);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a response that can't be printed", e);
    }
  }

  private CommandSpec commandSpec() {
    if (command == null) {
      throw new IllegalStateException("used outside a command");
    }
    return command;
  }
}
