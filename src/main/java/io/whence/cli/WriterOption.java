package io.whence.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import picocli.CommandLine.Option;

/** The option that says who changes offsets, for the history. Single-writer. */
final class WriterOption {
  /** What the server takes; see CommitOffsetRequest.writer. */
  private static final int MAX_CHARACTERS = 255;

  @Option(
      names = "--writer",
      paramLabel = "NAME",
      description = "Who does it, for the history. Default: your user name and host.")
  private String writer = "";

  /** Returns the name, at most 255 characters where it is the default. */
  String name() {
    if (!writer.isBlank()) {
      return writer.strip();
    }
    String name = System.getProperty("user.name", "unknown") + "@" + host();
    return name.substring(0, Math.min(name.length(), MAX_CHARACTERS));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      // A host that doesn't know its own name can commit all the same.
      return "localhost";
    }
  }
}
